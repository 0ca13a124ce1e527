package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/wire"
)

// split reads all lines of text; a nil line was too long.
func split(t *testing.T, text string, buffer int) (lines [][]byte) {
	t.Helper()
	in := bufio.NewReaderSize(strings.NewReader(text), buffer)
	for {
		line, err := readLine(in)
		switch {
		case err == io.EOF:
			return lines
		case errors.Is(err, errLineTooLong):
			line = nil
		case err != nil:
			t.Fatal(err)
		default:
			line = append([]byte{}, line...)
		}
		lines = append(lines, line)
	}
}

func TestLinesEndWithALineFeed(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\nb", []string{"a", "b"}},
		{"a\r\nb\r\n", []string{"a", "b"}},
		{"\n\r\n\n", []string{"", "", ""}},
		{"a\rb\n", []string{"a\rb"}},
		{"a\r\r\n", []string{"a\r"}},
		{"a\u2028b\u0085c\n", []string{"a\u2028b\u0085c"}},
		{"a\x00\xffb\n", []string{"a\x00\xffb"}},
	} {
		var got []string
		for _, line := range split(t, c.text, 16) {
			got = append(got, string(line))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLinesOfMoreThanAMebibyteAreTooLong(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		for _, size := range []int{maxLine - 1, maxLine, maxLine + 1, maxLine + 2, maxLine + 3, 2 * maxLine, 10*maxLine + 7} {
			text := strings.Repeat("x", size) + end
			if end != "" {
				text += "next\n"
			}
			lines := split(t, text, 4096)
			if tooLong := lines[0] == nil; tooLong != (size > maxLine) {
				t.Errorf("%d bytes and %q: too long is %t, want %t", size, end, tooLong, size > maxLine)
			}
			if end != "" && (len(lines) != 2 || string(lines[1]) != "next") {
				t.Errorf("%d bytes and %q: got %d lines, want the next line to follow", size, end, len(lines))
			}
		}
	}
}

// With any size of the buffer, a text has the same lines as for bytes.Split.
func FuzzReadLine(f *testing.F) {
	for _, text := range []string{"", "a\nb\r\n\nc", "\r\n\r", "x\r\ry\n", strings.Repeat("long ", 20) + "\n\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := bytes.Split([]byte(text), []byte("\n"))
		for i := range want[:len(want)-1] {
			want[i] = bytes.TrimSuffix(want[i], []byte("\r"))
		}
		if last := len(want) - 1; len(want[last]) == 0 {
			want = want[:last]
		}
		got := split(t, text, 16)
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// An accepted message is JSON and means the same to encoding/json. The answer to any other message
// has a suitable code.
func FuzzParseMessage(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\ud83d\ude00","method":"tools/call","params":{"name":"x","arguments":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e2}}`,
		`{"jsonrpc":"2.0","id":-0.5E+7,"result":null}`,
		`{"jsonrpc":"2.0","id":1,"id":2}`, `[]`, `null`, `"`, `{"id":null}`, "\xff", strings.Repeat("[", 200), `{"a":"\ud800"}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		m, err := parseMessage(line)
		if !bytes.Equal(line, before) {
			t.Errorf("parsing %q made it %q", before, line)
		}
		if err == nil {
			checkMessage(t, line, m)
			return
		}
		checkLineError(t, line, err)
	})
}

func checkMessage(t *testing.T, line []byte, m message) {
	t.Helper()
	var want struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	// Go's decoder takes keys in any case, and the last key wins. Ours takes exact keys, so compare
	// it with a map.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		t.Fatalf("accepted %q: %v", line, err)
	}
	for _, member := range []struct {
		name string
		at   any
	}{{"jsonrpc", &want.JSONRPC}, {"id", &want.ID}, {"method", &want.Method}, {"params", &want.Params}} {
		if text, ok := members[member.name]; ok {
			if err := json.Unmarshal(text, member.at); err != nil {
				t.Fatalf("accepted %q: %s: %v", line, member.name, err)
			}
		}
	}
	if string(want.Params) == "null" {
		want.Params = nil
	}
	if want.JSONRPC != "2.0" || m.method != "" && m.method != want.Method || !bytes.Equal(m.id, want.ID) {
		t.Errorf("%q: got %q, want %q", line, m, want)
	}
	if m.method != "" && !bytes.Equal(m.params, want.Params) {
		t.Errorf("%q: got params %q, want %q", line, m.params, want.Params)
	}
	if m.id != nil {
		idOf(m.id) // must not panic
	}
	m.requestID() // must not panic
}

func checkLineError(t *testing.T, line []byte, err error) {
	t.Helper()
	wrong, ok := errors.AsType[*lineError](err)
	if !ok {
		t.Fatalf("%q: got %T, want a *lineError", line, err)
	}
	// encoding/json lets more pass: duplicate keys, lone surrogates, invalid UTF-8, deep nesting.
	if wrong.code != jsonrpc.CodeParseError && !json.Valid(line) {
		t.Errorf("%q: got %d for what is no JSON", line, wrong.code)
	}
	answer := wire.Marshal(errorLine(wrong.id, responseError{Code: wrong.code, Message: wrong.why}))
	if !json.Valid(answer) || bytes.ContainsAny(answer, "\n\r") {
		t.Errorf("%q: got the answer %q", line, answer)
	}
}

// Numbers of different text are different requests, even if they are the same float64. Numbers with
// the same value for us have the same ID.
func TestRequestsAreKnownByTheTextOfTheirID(t *testing.T) {
	texts := []string{"1", "1.0", "1e0", "10e-1", `"1"`, "9007199254740992", "9007199254740993", "1e400", "1e401", "0.1", "0.10", `""`, `"\u0000number 1.0"`}
	seen := map[jsonrpc.ID]string{}
	for _, text := range texts[:len(texts)-1] {
		id := idOf([]byte(text))
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s get the same ID", text, other)
		}
		seen[id] = text
	}
}
