package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/base/wire"
)

const (
	// maxInstructions is the maximum size of the instructions in bytes, because clients cut
	// longer texts.
	maxInstructions = 2000
	// maxEnum is the maximum size in bytes of the list of cache names in a schema, because a
	// longer list would make every list of tools longer.
	maxEnum = 56
)

// catalog is a middleware listing the caches in the instructions and in the schemas of tools, since
// clients that defer tools show a model little else. It looks for the caches on every request, as
// calls do. It sends no notifications, because a call can also name caches added after the list.
func (c *caches) catalog(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		if err != nil {
			return result, err
		}
		switch r := result.(type) {
		case *sdk.InitializeResult:
			r.Instructions = c.withCatalog(r.Instructions)
		case *sdk.DiscoverResult:
			r.Instructions = c.withCatalog(r.Instructions)
		case *sdk.ListToolsResult:
			c.nameCaches(r)
		}
		return result, nil
	}
}

// withCatalog adds the caches to the instructions, the first of them with their descriptions.
func (c *caches) withCatalog(instructions string) string {
	called, err := c.forCall()
	if err != nil {
		return instructions // calls report this error
	}
	defer called.close(nil)
	names, _ := called.names()
	served := make([]agent.ServedCache, len(names))
	for i, name := range names {
		served[i].Name = name
		if i >= maxDescribed {
			continue
		}
		if opened, err := called.openOne(name); err == nil {
			about := opened.About()
			served[i].Description, served[i].Product = about.Description, about.Product.String()
		}
	}
	const between = "\n\n"
	if catalog := agent.Catalog(served, maxInstructions-len(instructions)-len(between)); catalog != "" {
		instructions += between + catalog
	}
	return instructions
}

// nameCaches lists the names of caches as an enum in the schemas, if the list is short. It
// replaces tools instead of changing them, because the server keeps the originals. It leaves out
// the tool that compares caches unless there are two, because every listed tool costs a model
// tokens.
func (c *caches) nameCaches(list *sdk.ListToolsResult) {
	names, _ := c.Names()
	if len(names) < 2 {
		list.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *sdk.Tool) bool { return t.Name == diffTool })
	}
	if len(names) == 0 || len(wire.Marshal(names)) > maxEnum {
		return
	}
	tools := list.Tools
	parameter := request.Caches.To(new([]string))
	before := []byte(parameter.Property())
	parameter.Enum, parameter.About = names, "All if left out"
	after := []byte(parameter.Property())
	for i, t := range tools {
		if schema, isText := t.InputSchema.(json.RawMessage); isText && bytes.Contains(schema, before) {
			renamed := *t
			renamed.InputSchema = json.RawMessage(bytes.Replace(schema, before, after, 1))
			tools[i] = &renamed
		}
	}
}
