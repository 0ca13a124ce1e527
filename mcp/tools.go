package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// maxResultSize asks clients that cut long results not to.
var maxResultSize = sdk.Meta{"anthropic/maxResultSizeChars": 500_000}

// cacheTools returns the tools on caches.
func cacheTools(caches *caches) []tool {
	return []tool{
		{
			name:  "context.resolve",
			title: "Find documents",
			description: `Return the documents of a cache that answer a query best, within a token budget.

Use it to read documentation: pass the words that the text you look for will hold. The result is JSON:
documents (id, version, content, score, tokens, why), best first, and selection (how many were considered,
selected and left out by the budget). A document is a page or, if the cache was built for them, a section of one,
with an id such as guide.md#setup and beside the others of its page. One that does not fit is passed over, not cut.

cache: a path that context.list_caches printed. query: plain words, in any case; only a cache of sections knows
other forms of them. budget: the most tokens that all contents together may have, 4 bytes each; 4000 is a good
start, 0 selects nothing.

On error: cache_missing, call context.list_caches for the names; cache_invalid or io_error, tell the user that the
cache must be built again; invalid_query or invalid_budget, correct that argument.`,
			schema: `{"type":"object","required":["cache","query","budget"],"additionalProperties":false,"properties":{` +
				`"cache":{"type":"string","description":"Path of the cache, as context.list_caches prints it"},` +
				`"query":{"type":"string","description":"Words to look for; may be empty"},` +
				`"budget":{"type":"integer","minimum":0,"description":"Most tokens (4 bytes each) of all documents together"}}}`,
			meta: maxResultSize,
			run: func(ctx context.Context, arguments []byte) (reply, error) {
				return textOf(resolve(ctx, caches, arguments))
			},
		},
		{
			name:  "context.list_caches",
			title: "List caches",
			description: `List the caches that there are: JSON with caches, each with path (pass it to the other tools) and
has_manifest (false if it is no finished cache).

Call it first, unless you know the name of the cache. root lists a directory below the cache root instead of that
itself. On error: cache_missing, there is no such root.`,
			schema: `{"type":"object","additionalProperties":false,"properties":{` +
				`"root":{"type":"string","description":"Directory below the cache root; the cache root itself if left out"}}}`,
			run: func(_ context.Context, arguments []byte) (reply, error) {
				return textOf(listCaches(caches, arguments))
			},
		},
		{
			name:  "context.inspect_cache",
			title: "Inspect a cache",
			description: `Tell what a cache is: JSON with cache_version (equal versions hold equal documents),
document_count, total_bytes (files directly in the cache), and valid (false if its manifest cannot be read).

Use it to see whether a cache has changed or is usable; it returns no documents. On error: cache_missing, call
context.list_caches for the names.`,
			schema: `{"type":"object","required":["cache"],"additionalProperties":false,"properties":{` +
				`"cache":{"type":"string","description":"Path of the cache, as context.list_caches prints it"}}}`,
			run: func(_ context.Context, arguments []byte) (reply, error) {
				return textOf(inspectCache(caches, arguments))
			},
		},
	}
}

// textOf is the reply of a tool all of whose failures are codes.
func textOf(text string, err error) (reply, error) { return reply{text: text}, err }

// resolve returns what `context resolve` prints.
func resolve(ctx context.Context, caches *caches, text []byte) (string, error) {
	args, err := parseArguments(text, "cache", "query", "budget")
	if err != nil {
		return "", err
	}
	path, err := args.text("cache")
	if err != nil {
		return "", err
	}
	queryText, err := args.query()
	if err != nil {
		return "", err
	}
	budget, err := args.budget()
	if err != nil {
		return "", err
	}
	query, err := selection.ParseQuery(queryText)
	if err != nil {
		return "", err
	}
	c, release, err := caches.open(path)
	if err != nil {
		return "", err
	}
	defer release()
	var out strings.Builder
	err = pipeline.Resolve(ctx, c, pipeline.Request{Query: query, Budget: budget}, &out)
	if err != nil {
		caches.forget(c)
	}
	return out.String(), err
}
