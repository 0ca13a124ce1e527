//go:build unix

package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A last line without a line feed counts.
func TestTheLastLineNeedsNoEnd(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	s.in.Close()
	if got, want := s.receive(), `{"jsonrpc":"2.0","id":1,"result":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.expectEnd()
}

// slowCalls one after another take far more than the second that a server has to end, because each
// of them returns every document.
const (
	slowCalls = 300
	allTokens = 1 << 30
)

func TestTheServerEndsWhateverIsInFlight(t *testing.T) {
	root := largeRoot(t)
	for _, c := range []struct {
		name string
		n    int
		end  func(*server)
	}{
		{"end of input", 30, func(s *server) { s.in.Close() }},
		{"end of input, more than are read ahead", slowCalls, func(s *server) { s.in.Close() }},
		{"SIGTERM", 30, func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGTERM, more than are read ahead", slowCalls, func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGINT", 30, func(s *server) { s.cmd.Process.Signal(syscall.SIGINT) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, root, "--max-calls", "1")
			for range c.n {
				s.sendResolve("docs", allTokens)
			}
			s.receive() // they are being read
			c.end(s)
			results := 1 // the answer above
			for _, answer := range s.receiveAll() {
				if strings.Contains(answer, `"isError":false`) {
					results++
				}
			}
			s.expectEnd()
			if results == slowCalls {
				t.Error("the server ended only after the last call")
			}
		})
	}
}

func TestTheServerEndsOnSIGTERMWhenIdle(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.expectEnd()
}

// A client that reads no more must not keep the server from ending.
func TestTheServerEndsThoughNobodyReads(t *testing.T) {
	root := newRoot(t, 200)
	for _, end := range []func(*server){
		func(s *server) { s.in.Close() },
		func(s *server) { s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		s := serve(t, root)
		for range 20 {
			s.sendResolve("docs", 100_000) // much more than a pipe holds
		}
		if _, err := s.lines.Peek(1); err != nil { // it has begun to write
			t.Fatal(err)
		}
		end(s)
		s.wait()
	}
}

func TestTheServerEndsWhenItsOutputIsClosed(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	s.out.Close()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.wait()
}

// Some clients throw away the other end of standard error, or never read it.
func TestStandardErrorMayGoNowhere(t *testing.T) {
	root := newRoot(t, 1)
	for _, c := range []struct {
		name   string
		closed bool
		calls  int // each logs a line of more than 200 bytes
	}{
		{"closed", true, 20},
		{"never read", false, 1_000}, // more than a pipe holds
	} {
		t.Run(c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := program(t, "--cache-root", root)
			cmd.Stderr = w
			s := begin(t, cmd).initialize()
			w.Close()
			if c.closed {
				r.Close()
			}
			for range c.calls {
				s.sendCall("context.inspect_cache", `{"cache":"`+strings.Repeat("x", 100)+`"}`)
				if s.receive() == "" {
					t.Fatalf("the server has ended after call %d", s.calls)
				}
			}
			s.in.Close()
			s.expectEnd()
		})
	}
}

// Limits.
