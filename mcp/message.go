package mcp

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/wire"
)

// A message is one line, by the rules of JSON-RPC 2.0 and MCP.
type message struct {
	id     []byte // JSON text; nil if there is none
	method string // "" if the message is ignored
	params []byte // JSON text of an object; nil if there are none
}

// A lineError is the fault of a line and the answer to it.
type lineError struct {
	id   []byte // of the request, JSON text; nil if it is not known
	code int64
	why  string
}

func (e *lineError) Error() string { return e.why }

// parseMessage reads a line. Every error is a *lineError. The connection ignores a
// message without a method: a response, though we ask for nothing, or a notification
// whose params are not an object, because notifications get no answer.
func parseMessage(line []byte) (message, error) {
	members, err := membersOf(line)
	if err != nil {
		return message{}, err
	}
	var m message
	if id, ok := members["id"]; ok {
		if !isID(id) {
			return message{}, &lineError{nil, jsonrpc.CodeInvalidRequest, "id: want a string or a number"}
		}
		m.id = id
	}
	if version, ok := text(members["jsonrpc"]); !ok || version != "2.0" {
		return message{}, &lineError{m.id, jsonrpc.CodeInvalidRequest, `jsonrpc: want "2.0"`}
	}
	if isResponse(members) {
		return m, nil
	}
	method, ok := text(members["method"])
	if !ok || method == "" {
		return message{}, &lineError{m.id, jsonrpc.CodeInvalidRequest, "method: want a string"}
	}
	params := members["params"]
	switch {
	case params == nil || string(params) == "null" || params[0] == '{':
		m.method = method
	case m.id != nil:
		return message{}, &lineError{m.id, jsonrpc.CodeInvalidParams, "params: want an object"}
	}
	if len(params) > 0 && params[0] == '{' {
		m.params = params
	}
	return m, nil
}

// membersOf reads a line with one object, and returns its members as JSON text.
func membersOf(line []byte) (map[string][]byte, error) {
	if err := wellFormed(line); err != nil {
		return nil, &lineError{nil, jsonrpc.CodeParseError, "no JSON: " + err.Error()}
	}
	members := map[string][]byte{}
	d := wire.NewDecoder(line)
	err := d.Object(func(key string) (err error) {
		members[key], err = d.Value()
		return err
	})
	if err != nil {
		return nil, &lineError{nil, jsonrpc.CodeInvalidRequest, "want one object a line; batches are not supported"}
	}
	return members, nil
}

func isResponse(members map[string][]byte) bool {
	_, method := members["method"]
	_, result := members["result"]
	_, failed := members["error"]
	return !method && (result || failed)
}

// text returns the value of a JSON string.
func text(value []byte) (s string, ok bool) {
	s, err := wire.NewDecoder(value).String()
	return s, err == nil
}

// wellFormed checks that a line is exactly one JSON value.
func wellFormed(line []byte) error {
	d := wire.NewDecoder(line)
	if err := d.Skip(); err != nil {
		return err
	}
	return d.End()
}

// isID reports whether the JSON text may be the ID of a request.
func isID(text []byte) bool {
	return text[0] == '"' || text[0] == '-' || '0' <= text[0] && text[0] <= '9'
}

// isFloat reports whether the SDK can read an ID, as it does over HTTP.
func isFloat(id []byte) bool {
	_, err := strconv.ParseFloat(string(id), 64)
	return !errors.Is(err, strconv.ErrRange)
}

// idOf returns the ID of a request for the SDK. The SDK reads numbers as 64-bit
// floats, so a number goes by its text unless it is a small integer.
func idOf(text []byte) jsonrpc.ID {
	var value any
	if text[0] == '"' {
		s, _ := wire.NewDecoder(text).String() // wellFormed has seen it
		value = s
	} else if n, err := strconv.ParseInt(string(text), 10, 53); err == nil {
		value = float64(n)
	} else {
		value = fmt.Sprintf("\x00number %s", text)
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		panic("mcp: " + err.Error())
	}
	return id
}

// cancelledMethod is the notification that cancels a request.
const cancelledMethod = "notifications/cancelled"

// requestID returns the ID of the request that a cancellation names, as JSON text, or nil
// if there is none.
func (m message) requestID() []byte {
	members, err := membersOf(m.params)
	if id := members["requestId"]; err == nil && id != nil && isID(id) {
		return id
	}
	return nil
}
