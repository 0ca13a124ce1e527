package mcp

import (
	"context"
	"regexp"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A nameStyle says how tools are listed: by the contract's dotted names, or
// with underscores for clients that take no dots. Calls by either name work.
type nameStyle struct{ underscores bool }

// prefix is the beginning of the dotted names.
const prefix = "context."

// listed returns the name under which a tool is listed.
func (n nameStyle) listed(name string) string {
	if n.underscores {
		return strings.ReplaceAll(name, ".", "_")
	}
	if rest, ok := strings.CutPrefix(name, "context_"); ok {
		return prefix + rest
	}
	return name
}

// dotted finds the tools' names in a text: neither sentences that end in
// "context." nor .context.yaml.
var dotted = regexp.MustCompile(`(^|[^.])\bcontext\.([a-z])`)

// inText returns a text for models with the listed names of tools.
func (n nameStyle) inText(text string) string {
	if n.underscores {
		return dotted.ReplaceAllString(text, "${1}context_$2")
	}
	return text
}

// middleware turns the name in a call into the listed one.
func (n nameStyle) middleware(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok && call.Params != nil {
			call.Params.Name = n.listed(call.Params.Name)
		}
		return next(ctx, method, req)
	}
}
