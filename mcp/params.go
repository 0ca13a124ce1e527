package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/base/wire"
)

// A param is a member of a method's params to pass on to the SDK.
type param struct {
	name    string
	kind    paramKind
	members []param // of a paramObject, which are also passed on
}

// A paramKind is the kind of JSON value for a param.
type paramKind int

const (
	paramAny paramKind = iota
	paramText
	paramObject
)

// metaParam is _meta, which any request can contain.
var metaParam = param{"_meta", paramObject, []param{
	{"io.modelcontextprotocol/protocolVersion", paramText, nil},
	{"io.modelcontextprotocol/clientInfo", paramObject, nil},
	{"io.modelcontextprotocol/clientCapabilities", paramObject, nil},
}}

// served lists the methods of the server, and the params it reads besides _meta. Everything else is
// removed before the SDK sees a request, because the SDK would also answer methods we don't
// advertise, and its errors about wrong params name Go types.
var served = map[string][]param{
	"initialize":           {{"protocolVersion", paramText, nil}, {"capabilities", paramObject, nil}, {"clientInfo", paramObject, nil}},
	"ping":                 {},
	"server/discover":      {},
	"subscriptions/listen": {{"notifications", paramObject, nil}},
	"tools/call":           {{"name", paramText, nil}, {"arguments", paramAny, nil}},
	"tools/list":           {{"cursor", paramText, nil}},
}

// admit checks a request, and returns it with the params to pass on to the SDK. It returns other
// messages unchanged. Every error is a *lineError.
func (m message) admit() (message, error) {
	if m.id == nil || m.method == "" {
		return m, nil
	}
	params, isServed := served[m.method]
	switch {
	case strings.HasPrefix(m.method, "notifications/"):
		return m, m.wrong(jsonrpc.CodeInvalidRequest, "invalid request: unexpected id for %q", m.method)
	case !isServed:
		return m, m.wrong(jsonrpc.CodeMethodNotFound, "method not found: %q", m.method)
	case m.params == nil && (m.method == "initialize" || m.method == "tools/call"):
		return m, m.wrong(jsonrpc.CodeInvalidParams, "missing params: %s needs them", m.method)
	case m.params == nil:
		return m, nil
	}
	members, err := membersOf(m.params)
	if err != nil {
		return m, err
	}
	switch name, isNamed := members["name"]; {
	case m.method != "tools/call":
	case !isNamed:
		return m, m.wrong(jsonrpc.CodeInvalidParams, "params: missing name: expected the name of a tool")
	case string(name) == "null": // other params can be null, which means missing
		return m, m.wrong(jsonrpc.CodeInvalidParams, "params: name: expected a string")
	}
	var e wire.Encoder
	if err := encodeParams(&e, members, append(slices.Clip(params), metaParam)); err != nil {
		return m, m.wrong(jsonrpc.CodeInvalidParams, "params: %v", err)
	}
	m.params = e.Bytes()
	return m, nil
}

// encodeParams writes an object with only the members listed in params. Every error names the wrong
// param.
func encodeParams(e *wire.Encoder, members map[string][]byte, params []param) error {
	e.BeginObject()
	defer e.EndObject()
	for _, p := range params {
		value := string(members[p.name])
		switch {
		case value == "" || value == "null":
			continue
		case p.kind == paramText && value[0] != '"':
			return fmt.Errorf("%s: expected a string", p.name)
		case p.kind == paramObject && value[0] != '{':
			return fmt.Errorf("%s: expected an object", p.name)
		}
		e.Key(p.name)
		if p.kind != paramObject {
			e.Literal(value)
			continue
		}
		inner, err := membersOf([]byte(value))
		if err == nil {
			err = encodeParams(e, inner, p.members)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// isListening reports whether a message is the request that the SDK answers by a stream of events.
func (m message) isListening() bool { return m.method == "subscriptions/listen" }

// A requestLine is a JSON-RPC request or notification.
type requestLine struct {
	Version string `json:"jsonrpc"`
	ID      string `json:"id,omitzero" wire:"literal"`
	Method  string `json:"method"`
	Params  string `json:"params,omitzero" wire:"literal"`
}

func (m message) line() []byte {
	return wire.Marshal(requestLine{"2.0", string(m.id), m.method, string(m.params)})
}
