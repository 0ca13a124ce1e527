package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A nameStyle is the form of the names in the list of tools: the contract's dotted names, or
// underscores for clients without support for dots. Calls can use either form.
type nameStyle struct{ underscores bool }

const prefix = "context."

func (n nameStyle) listed(name string) string {
	if n.underscores {
		return strings.ReplaceAll(name, ".", "_")
	}
	if rest, ok := strings.CutPrefix(name, "context_"); ok {
		return prefix + rest
	}
	return name
}

// dotted matches the names of tools in a text, but neither .context.yaml nor the end of a sentence
// such as "context.".
var dotted = lazy.Regexp(`(^|[^.])\bcontext\.([a-z])`)

// inText returns a text for models with the names of tools in this form.
func (n nameStyle) inText(text string) string {
	if n.underscores {
		return dotted().ReplaceAllString(text, "${1}context_$2")
	}
	return text
}

// middleware changes the name in a call to the listed name.
func (n nameStyle) middleware(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok && call.Params != nil {
			call.Params.Name = n.listed(call.Params.Name)
		}
		return next(ctx, method, req)
	}
}
