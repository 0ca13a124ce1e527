package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/wire"
)

// A message is a line following the rules of JSON-RPC 2.0 and MCP.
type message struct {
	id     []byte // JSON text; nil for a notification
	method string // "" if the message must be ignored
	params []byte // JSON text of an object, or nil
}

// A lineError explains the problem with a line, and is also the answer to it.
type lineError struct {
	ids  [][]byte // of the requests in the line, as JSON texts; empty if they are unknown
	code int64
	why  string

	isTooLong bool // more than maxLine bytes
}

func (e *lineError) Error() string { return e.why }

// answers returns the answer to each request, or an answer without an ID.
func (e *lineError) answers() (lines []responseLine) {
	failed := responseError{Code: e.code, Message: e.why}
	for _, id := range e.ids {
		lines = append(lines, errorLine(id, failed))
	}
	if lines == nil {
		lines = []responseLine{errorLine(nil, failed)}
	}
	return lines
}

// wrong returns the error for a message.
func (m message) wrong(code int64, format string, args ...any) error {
	failed := &lineError{code: code, why: fmt.Sprintf(format, args...)}
	if m.id != nil {
		failed.ids = [][]byte{m.id}
	}
	return failed
}

// parseMessage parses a line. Every error is a *lineError. A message without a method must be
// ignored: it is a response, although we never ask for anything, or a notification whose params
// are not an object, because notifications get no answer.
func parseMessage(line []byte) (message, error) {
	line = skipMarks(line)
	repaired := withoutHalfPairs(line)
	members, err := membersOf(repaired)
	if wrong, ok := errors.AsType[*lineError](err); ok {
		wrong.ids = idsIn(line)
		return message{}, wrong
	}
	var m message
	if id, ok := members["id"]; ok {
		if !isID(id) {
			return message{}, m.wrong(jsonrpc.CodeInvalidRequest, "id: expected a string or a number")
		}
		m.id = id
		if !bytes.Equal(repaired, line) {
			m.id = idsIn(line)[0] // as the client wrote it
		}
	}
	if version, ok := text(members["jsonrpc"]); !ok || version != "2.0" {
		return message{}, m.wrong(jsonrpc.CodeInvalidRequest, `jsonrpc: expected "2.0"`)
	}
	if isResponse(members) {
		return m, nil
	}
	method, ok := text(members["method"])
	if !ok || method == "" {
		return message{}, m.wrong(jsonrpc.CodeInvalidRequest, "method: expected a string")
	}
	params := members["params"]
	switch {
	case params == nil || string(params) == "null" || params[0] == '{':
		m.method = method
	case m.id != nil:
		return message{}, m.wrong(jsonrpc.CodeInvalidParams, "params: expected an object")
	}
	if len(params) > 0 && params[0] == '{' {
		m.params = params
	}
	return m, nil
}

// skipMarks returns a line without byte order marks before the message, which programs on Windows
// write.
func skipMarks(line []byte) []byte {
	for {
		rest, hasMark := bytes.CutPrefix(bytes.TrimLeft(line, " \t\r\n"), []byte("\ufeff"))
		if !hasMark {
			return line
		}
		line = rest
	}
}

// escapes matches the escapes in a JSON text. Those of half a surrogate pair have six bytes.
var escapes = lazy.Regexp(`(?i)\\uD[89AB][0-9A-F]{2}\\uD[C-F][0-9A-F]{2}|\\uD[89A-F][0-9A-F]{2}|(?s:\\.)`)

// withoutHalfPairs returns a JSON text in which U+FFFD replaces each escape of half a surrogate
// pair, as in most decoders. Programs in JavaScript send them if they cut a text inside an emoji.
// The result has the same length.
func withoutHalfPairs(text []byte) []byte {
	return escapes().ReplaceAllFunc(text, func(escape []byte) []byte {
		if len(escape) == len(`\ud83d`) {
			return []byte(`\ufffd`)
		}
		return escape
	})
}

// membersOf parses a line with an object, and returns the members as JSON texts.
func membersOf(line []byte) (map[string][]byte, error) {
	if err := wellFormed(line); err != nil {
		return nil, &lineError{code: jsonrpc.CodeParseError, why: "invalid JSON: " + err.Error()}
	}
	members := map[string][]byte{}
	d := wire.NewDecoder(line)
	err := d.Object(func(key string) (err error) {
		members[key], err = d.Value()
		return err
	})
	if err != nil {
		return nil, &lineError{code: jsonrpc.CodeInvalidRequest, why: "expected one object per line: batches are not supported"}
	}
	return members, nil
}

func isResponse(members map[string][]byte) bool {
	_, method := members["method"]
	_, result := members["result"]
	_, failed := members["error"]
	return !method && (result || failed)
}

func text(value []byte) (s string, ok bool) {
	s, err := wire.NewDecoder(value).String()
	return s, err == nil
}

// wellFormed checks that a line is a single JSON value.
func wellFormed(line []byte) error {
	d := wire.NewDecoder(line)
	if err := d.Skip(); err != nil {
		return err
	}
	return d.End()
}

// isID reports whether a JSON text can be the ID of a request.
func isID(text []byte) bool {
	return text[0] == '"' || text[0] == '-' || '0' <= text[0] && text[0] <= '9'
}

// isFloat reports whether the SDK can read an ID, as it must for a stream of events.
func isFloat(id []byte) bool {
	_, err := strconv.ParseFloat(string(id), 64)
	return !errors.Is(err, strconv.ErrRange)
}

// idOf returns the ID of a request for the SDK. The SDK reads numbers as 64-bit floats, which could
// make two IDs equal, so all numbers except small integers are passed as text.
func idOf(text []byte) jsonrpc.ID {
	var value any
	if text[0] == '"' {
		s, _ := wire.NewDecoder(withoutHalfPairs(text)).String() // wellFormed has checked it
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

// cancelledMethod is the notification for cancelling a request.
const cancelledMethod = "notifications/cancelled"

// requestID returns the ID of the request named in a cancellation as JSON text, or nil.
func (m message) requestID() []byte {
	members, err := membersOf(m.params)
	if id := members["requestId"]; err == nil && id != nil && isID(id) {
		return id
	}
	return nil
}
