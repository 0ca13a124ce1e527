package mcp

import (
	"cmp"
	"context"

	"github.com/contextcompiler/context/dotcontext"
)

const (
	scopeSchema = `"scope":{"type":"string","description":"Directory, relative to the project's root, as list_contexts prints it; \".\" is the root"}`
	pathSchema  = `"path":{"type":"string","description":"Root of another project than the server's own; usually left out"}`
)

// contextTools returns the tools on the directory contexts of the project at
// root.
func contextTools(root string) []tool {
	return []tool{
		{
			name:  "list_contexts",
			title: "List directory contexts",
			description: `List the directories of the project that have, or should have, a .context.yaml which describes them: JSON
with root, total_directories, skipped_directories (too small for a context), tracked, and entries, each with scope
(pass it to the other tools), state (fresh, stale or missing), has_context, last_updated and summary.

Call it first: the summaries tell which directories matter. A stale context describes files that have changed since.
On error: the project's root cannot be read; check path.`,
			schema: `{"type":"object","additionalProperties":false,"properties":{` + pathSchema + `}}`,
			meta:   maxResultSize,
			run: func(ctx context.Context, arguments []byte) (reply, error) {
				return listContexts(ctx, root, arguments)
			},
		},
		{
			name:  "check_freshness",
			title: "Check a directory context",
			description: `Tell whether the context of a directory still describes the files there: JSON with scope, state (fresh, stale or
missing), fingerprint (stored and computed) and last_updated.

Call it before you rely on a context. Stale is no error: read the files themselves where it matters. On error: there
is no context that can be read at that scope; call list_contexts for those that there are.`,
			schema: `{"type":"object","required":["scope"],"additionalProperties":false,"properties":{` + scopeSchema + `,` + pathSchema + `}}`,
			run: func(ctx context.Context, arguments []byte) (reply, error) {
				return checkFreshness(ctx, root, arguments)
			},
		},
		{
			name:  "query_context",
			title: "Read a directory context",
			description: `Return what the .context.yaml of a directory says: JSON with found, scope and context, which has a summary and, where
somebody wrote them, files, interfaces, decisions, constraints, dependencies, current_state and more.

Use it instead of reading every file of the directory. filter names the fields that you want; version, scope,
fingerprint and last_updated always come. On error (found is false): call list_contexts for the scopes that there are.`,
			schema: `{"type":"object","required":["scope"],"additionalProperties":false,"properties":{` + scopeSchema +
				`,"filter":{"type":"array","items":{"type":"string"},"description":"Fields to return, such as summary, files or decisions; all if left out"},` +
				pathSchema + `}}`,
			meta: maxResultSize,
			run: func(_ context.Context, arguments []byte) (reply, error) {
				return queryContext(root, arguments)
			},
		},
	}
}

func listContexts(ctx context.Context, root string, text []byte) (reply, error) {
	args, err := parseArguments(text, "path")
	if err != nil {
		return reply{}, err
	}
	path, err := args.optionalText("path")
	if err != nil {
		return reply{}, err
	}
	return answered(dotcontext.List(ctx, cmp.Or(path, root)))
}

func checkFreshness(ctx context.Context, root string, text []byte) (reply, error) {
	args, err := parseArguments(text, "scope", "path")
	if err != nil {
		return reply{}, err
	}
	scope, path, err := args.place()
	if err != nil {
		return reply{}, err
	}
	return answered(dotcontext.Check(ctx, cmp.Or(path, root), scope))
}

func queryContext(root string, text []byte) (reply, error) {
	args, err := parseArguments(text, "scope", "filter", "path")
	if err != nil {
		return reply{}, err
	}
	scope, path, err := args.place()
	if err != nil {
		return reply{}, err
	}
	filter, err := args.optionalTexts("filter")
	if err != nil {
		return reply{}, err
	}
	return answered(dotcontext.Query(cmp.Or(path, root), scope, filter), nil)
}

// place returns the arguments that say where a context is.
func (a arguments) place() (scope, path string, err error) {
	if scope, err = a.text("scope"); err != nil {
		return "", "", err
	}
	path, err = a.optionalText("path")
	return scope, path, err
}

// answered is the reply of a tool that answers in words of its own.
func answered(answer dotcontext.Answer, err error) (reply, error) {
	return reply{answer.JSON, answer.Err}, err
}
