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
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/contextcompiler/context/internal/base/wire"
)

// split reads all lines of text; a nil line was too long.
func split(t *testing.T, text string, buffer int) (lines [][]byte) {
	t.Helper()
	in := bufio.NewReaderSize(strings.NewReader(text), buffer)
	for {
		line, err := readLine(in)
		_, isTooLong := errors.AsType[*lineError](err)
		switch {
		case err == io.EOF:
			return lines
		case isTooLong:
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
		"\ufeff " + `{"jsonrpc":"2.0","id":"\ud83d","method":"ping","params":{"a":"\\ud83d \uDE00"}}`,
		`[{"id":1},{"\u0069d":"2"},{"id":null},{"id":{"id":3}},[{"id":4}],{"id":5,"id":true}]`,
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
			checkMessage(t, skipMarks(line), m)
			return
		}
		checkLineError(t, skipMarks(line), err)
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
	if m.method != "" && !bytes.Equal(m.params, withoutHalfPairs(want.Params)) {
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
	for _, answer := range wrong.answers() {
		if text := wire.Marshal(answer); !json.Valid(text) || !utf8.Valid(text) || bytes.ContainsAny(text, "\n\r") {
			t.Errorf("%q: got the answer %q", line, text)
		}
	}
	if want, ok := idsByGo(line); ok && !reflect.DeepEqual(wrong.ids, want) {
		t.Errorf("%q: got the IDs %q, want %q", line, wrong.ids, want)
	}
}

// idsByGo returns the IDs of the requests in a line as encoding/json finds them, if it can read the
// line.
func idsByGo(line []byte) (ids [][]byte, ok bool) {
	if !json.Valid(line) || !utf8.Valid(line) {
		return nil, false
	}
	batch := []json.RawMessage{line}
	json.Unmarshal(line, &batch) // fails unless it is a batch
	for _, text := range batch {
		var members map[string]json.RawMessage
		json.Unmarshal(text, &members)
		if id := members["id"]; id != nil && isID(id) {
			ids = append(ids, id)
		}
	}
	return ids, true
}

// The ID of a request is found anywhere in the line, even if the line arrives in pieces.
func TestRequestsThatCannotBeReadAreAnsweredByTheirID(t *testing.T) {
	huge := `"` + strings.Repeat("x\\\"{[", 500_000) + `"`
	deep := strings.Repeat(`{"id":0,"a":[`, 200) + strings.Repeat("]}", 200)
	for name, c := range map[string]struct {
		line string
		want string // IDs
	}{
		"duplicate key":               {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1,"a":2}}`, `7`},
		"duplicate ID":                {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `2`},
		"duplicate ID that is none":   {`{"jsonrpc":"2.0","id":1,"id":null,"method":"ping"}`, ``},
		"ID in escapes":               {`{"jsonrpc":"2.0","\u0069\u0064":7,"method":"ping",}`, `7`},
		"string with escapes":         {`{"id":"\"}\\\u2028\ud83d","method":"ping",}`, `"\"}\\\u2028\ud83d"`},
		"fraction":                    {`{"id":-1.50e+1,"a":nul}`, `-1.50e+1`},
		"huge number":                 {`{"id":123456789012345678901234567890e999 ,"a":NaN}`, `123456789012345678901234567890e999`},
		"invalid UTF-8":               {"{\"id\":7,\"method\":\"\xff\"}", `7`},
		"invalid UTF-8 in the ID":     {"{\"id\":\"\xff\",\"method\":\"ping\"}", ``},
		"control character":           {"{\"id\":7,\"method\":\"\x00\"}", `7`},
		"control character in ID":     {"{\"id\":\"\x01\",\"method\":\"ping\"}", ``},
		"NUL after the message":       {"{\"id\":7,\"method\":\"ping\"}\x00", `7`},
		"text before the message":     {`log: "{" {"id":7,"method":"ping"}`, `7`},
		"no number":                   {`{"id":01,"method":"ping"}`, ``},
		"no ID":                       {`{"id":{"id":1},"a":[{"id":2}],}`, ``},
		"only a value":                {`{"method":"id","params":{"id":1},"x":"id"}}`, ``},
		"nested too deep":             {`{"params":` + deep + `,"id":"after"}`, `"after"`},
		"brackets that don't match":   {`{"params":[},"id":1}`, `1`},
		"cut off":                     {`{"jsonrpc":"2.0","id":"a","method":"ping","par`, `"a"`},
		"cut off in the ID":           {`{"jsonrpc":"2.0","id":12`, ``},
		"cut off in a text":           {`{"jsonrpc":"2.0","id":"12`, ``},
		"two messages":                {`{"id":1,"method":"ping"} {"id":2,"method":"ping"}`, `1 2`},
		"a batch":                     {`[{"id":1,"method":"ping"},{"method":"a"},{"id":"b","params":[{"id":3}]}]`, `1 "b"`},
		"a batch that is cut off":     {`[{"id":1,"method":"ping"},{"id":2,"meth`, `1 2`},
		"mark and duplicate key":      {"\ufeff" + `{"id":7,"a":1,"a":2}`, `7`},
		"too long, ID before":         {`{"id":7,"params":{"query":` + huge + `}}`, `7`},
		"too long, ID after":          {`{"method":"tools/call","params":{"arguments":{"query":` + huge + `,"id":8}},"jsonrpc":"2.0","id":7}`, `7`},
		"too long, batch":             {`[{"id":1,"params":` + huge + `},{"params":` + huge + `,"id":2}]`, `1 2`},
		"too long, ID is too long":    {`{"id":"` + strings.Repeat("i", 2<<20) + `","method":"ping"}`, ``},
		"too long, no end":            {`{"params":` + huge[:2<<20], ``},
		"too many requests in a line": {"[" + strings.Repeat(`{"id":1},`, 200_000) + "]", strings.TrimSpace(strings.Repeat("1 ", 31776))},
	} {
		for _, buffer := range []int{16, 64 << 10} {
			in := bufio.NewReaderSize(strings.NewReader(c.line+"\n{}\n"), buffer)
			line, err := readLine(in)
			if err == nil {
				_, err = parseMessage(line)
			}
			wrong, ok := errors.AsType[*lineError](err)
			if !ok {
				t.Fatalf("%s: got error %v", name, err)
			}
			if got := string(bytes.Join(wrong.ids, []byte(" "))); got != c.want {
				t.Errorf("%s: got the IDs %.200s, want %.200s", name, got, c.want)
			}
			if rest, err := io.ReadAll(in); string(rest) != "{}\n" || err != nil {
				t.Errorf("%s: the next line is %.100q", name, rest)
			}
		}
	}
}

// A repaired text means the same to encoding/json, which also replaces half pairs, and to us.
func FuzzHalfPairs(f *testing.F) {
	for _, text := range []string{
		`"proxy \ud83d"`, `"\ud83d\ude00"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\\ud83d \\\ud83d"`, `"\uD83D\n\uDe00\`, `"\ud83`, `"\`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		repaired := withoutHalfPairs(text)
		var got, want any
		err1, err2 := json.Unmarshal(repaired, &got), json.Unmarshal(text, &want)
		if !bytes.Equal(text, before) || len(repaired) != len(text) || (err1 == nil) != (err2 == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q became %q, which means %v instead of %v", before, repaired, got, want)
		}
		if s, isString := want.(string); isString && utf8.Valid(text) {
			if got, err := wire.NewDecoder(repaired).String(); got != s || err != nil {
				t.Errorf("%q: got %q and error %v, want %q", text, got, err, s)
			}
		}
	})
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
