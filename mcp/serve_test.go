package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/mcp"
)

// A server answers each line at most once, and no line changes later answers.
func FuzzServe(f *testing.F) {
	root := f.TempDir()
	newCache(f, filepath.Join(root, "docs"), map[string]string{"a.md": "it"})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context.resolve","arguments":%s}}`
	for _, line := range []string{
		"", "no JSON", "[]", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1e9,"method":"initialize","params":{"protocolVersion":""}}`,
		`{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":""},"argument":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		fmt.Sprintf(call, `{"cache":"docs","query":"it","budget":5}`),
		fmt.Sprintf(call, `{"cache":"../docs","query":"","budget":1e3}`),
		fmt.Sprintf(call, `null`), fmt.Sprintf(call, `[]`),
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") || strings.Contains(line, "subscriptions") {
			t.Skip("two lines, or a request that stays open")
		}
		server := start(t, mcp.Settings{CacheRoot: root}).initialize()
		server.send(line)
		server.send(`{"jsonrpc":"2.0","id":"the end","method":"ping"}`)
		rest, err := server.finish()
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		pings := 0
		for _, answer := range rest {
			if !json.Valid([]byte(answer)) {
				t.Errorf("%q: got %q", line, answer)
			}
			if answer == `{"jsonrpc":"2.0","id":"the end","result":{}}` {
				pings++
			}
		}
		if len(rest) > 2 || pings == 0 {
			t.Errorf("%q: got %q, want an answer at most, and to the ping after", line, rest)
		}
	})
}

// Clients on Windows end their lines with CR LF, and some write blank lines.
func TestLineEndsMayHaveACarriageReturn(t *testing.T) {
	server := start(t, mcp.Settings{CacheRoot: t.TempDir()}).initialize()
	server.send("\r\n\n\r\n \n  \t \r\n\v\f\n\u00a0\u2028")
	if got, want := server.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\r"), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if rest, err := server.finish(); len(rest) > 0 || err != nil {
		t.Errorf("got %q and error %v", rest, err)
	}
}

// Requests may arrive in pieces, or several of them in a single piece.
func TestLinesMayComeInPieces(t *testing.T) {
	server := start(t, mcp.Settings{CacheRoot: t.TempDir()}).initialize()
	const line = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for i := range len(line) {
		if _, err := server.in.Write([]byte(line[i : i+1])); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"jsonrpc":"2.0","id":1,"result":{}}`
	if got := server.ask(""); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	server.send(strings.Repeat(`{"jsonrpc":"2.0","method":"nope"}`+"\n", 100) + line)
	if got := server.receive(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnOutputThatCannotBeWrittenEndsTheServer(t *testing.T) {
	server := start(t, mcp.Settings{CacheRoot: t.TempDir()}).initialize()
	server.closeOutput()
	server.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	<-server.ended
	if server.err == nil || !strings.Contains(server.err.Error(), "closed pipe") {
		t.Errorf("got %v, want what is wrong with the output", server.err)
	}
}

// A failed read does not end the input. The server answers the requests before it.
func TestAnInputThatCannotBeReadEndsTheServerWithAnError(t *testing.T) {
	refused := errors.New("input/output error")
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), iotest.ErrReader(refused))
	var out bytes.Buffer
	err := mcp.Serve(t.Context(), mcp.Settings{CacheRoot: t.TempDir(), Log: slog.New(slog.DiscardHandler)}, in, &out)
	if !errors.Is(err, refused) || fault.CodeOf(err) != fault.IO {
		t.Errorf("got %v, want %v with %v", err, refused, fault.IO)
	}
	if !strings.Contains(out.String(), `"id":1`) {
		t.Errorf("got %q, want an answer to the request before the failure", out.String())
	}
}
