//go:build unix

package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestTheServerEndsWithItsInputAfterTheAnswersInFlight(t *testing.T) {
	root := newRoot(t, 1)
	for _, n := range []int{0, 1, 11, 64, 65, 200} {
		s := serve(t, root)
		for range n {
			s.sendResolve("docs", 4_000)
		}
		s.in.Close()
		closed := time.Now()
		answers := s.receiveAll()
		s.expectEnd()
		// On a machine that is busy, the server may run out of time.
		if took := time.Since(closed); !slices.Equal(ids(t, answers), sequence(n)) && took < drainTime {
			t.Errorf("got %d answers within %v, want %d", len(answers), took, n)
		}
		for _, answer := range answers {
			// On a busy machine some of them may come too late, and fail.
			if n < 20 && strings.Contains(answer, `"isError":true`) {
				t.Errorf("got %.300s", answer)
			}
		}
	}
}

// ids returns the IDs of the answers, which must be numbers, sorted.
func ids(t *testing.T, answers []string) (found []int) {
	t.Helper()
	for _, answer := range answers {
		var a struct{ ID *int }
		if err := json.Unmarshal([]byte(answer), &a); err != nil || a.ID == nil {
			t.Fatalf("%.200s: %v", answer, err)
		}
		found = append(found, *a.ID)
	}
	slices.Sort(found)
	return found
}

// sequence returns 1, 2, ... n.
func sequence(n int) (s []int) {
	for i := range n {
		s = append(s, i+1)
	}
	return s
}

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

// slowCalls one after another take far more than a second.
const slowCalls = 300

func TestTheServerEndsInTimeWhateverIsInFlight(t *testing.T) {
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
				s.sendResolve("docs", 100)
			}
			s.receive() // they are being read
			c.end(s)
			began := time.Now()
			answers := s.receiveAll()
			s.expectEnd()
			if took := time.Since(began); took > aSecond {
				t.Errorf("got %d answers and the end after %v, want it within a second", len(answers), took)
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
		s.waitFor(aSecond)
	}
}

func TestTheServerEndsWhenItsOutputIsClosed(t *testing.T) {
	s := serve(t, newRoot(t, 1))
	s.out.Close()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.waitFor(aSecond)
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
