//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contextcompiler/context/internal/base/child"
)

// pagesRoot returns a cache root with the cache docs of n pages of a mebibyte.
func pagesRoot(t *testing.T, n int) (root string) {
	t.Helper()
	root, sources := t.TempDir(), t.TempDir()
	for i := range n {
		page := bytes.Repeat([]byte("eta oin shr dlu\n"), mebibyte/16)
		if err := os.WriteFile(filepath.Join(sources, fmt.Sprint(i, ".md")), page, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	buildCache(t, sources, filepath.Join(root, "docs"))
	return root
}

// A large answer takes at most twice its size, and answers that wait for a client
// that does not read take no more than they may together.
func TestAnswersTakeBoundedMemory(t *testing.T) {
	root := pagesRoot(t, 14)
	const allPages = 14 * mebibyte / 4
	idle := serve(t, root)
	idle.sendResolve("docs", 1) // so that what every answer needs, such as the caches of words, doesn't count
	idle.receive()
	base, factor := memoryPeak(t, idle), 2
	if child.RaceDetector {
		factor *= 5 // for its own notes
	}
	t.Run("one answer", func(t *testing.T) {
		s := serve(t, root)
		s.sendResolve("docs", allPages)
		written := len(s.receive())
		if peak := memoryPeak(t, s) - base; written < 14*mebibyte || peak > factor*written {
			t.Errorf("an answer of %d KiB took %d KiB", written>>10, peak>>10)
		}
	})
	t.Run("answers that wait", func(t *testing.T) {
		cmd := program(t, "--cache-root", root, "--tool-timeout", "5m", "--log-level", "debug")
		log, toUs, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		cmd.Stderr = toUs
		s := begin(t, cmd).initialize()
		toUs.Close()
		const calls, waiting = 6, 64 * mebibyte
		for range calls {
			s.sendResolve("docs", allPages)
		}
		// The others wait for the room that these answers have.
		waitForLines(t, log, "msg=call", waiting/(16*mebibyte))
		if peak := memoryPeak(t, s) - base; peak > factor*waiting {
			t.Errorf("%d answers took %d MiB, want at most %d", calls, peak/mebibyte, factor*waiting/mebibyte)
		}
		for range calls {
			if line := s.receive(); !strings.HasSuffix(line, `"isError":false}}`) {
				t.Fatalf("got %.200s", line)
			}
		}
		if peak := memoryPeak(t, s) - base; peak > factor*waiting {
			t.Errorf("%d answers took %d MiB, want at most %d", calls, peak/mebibyte, factor*waiting/mebibyte)
		}
	})
}

// waitForLines waits until n lines of a log have a text.
func waitForLines(t *testing.T, log io.Reader, text string, n int) {
	t.Helper()
	for lines := bufio.NewScanner(log); n > 0; {
		if !lines.Scan() {
			t.Fatalf("the log has ended: %v", lines.Err())
		}
		if strings.Contains(lines.Text(), text) {
			n--
		}
	}
}

// memoryPeak returns the most resident memory that the server had, in bytes.
func memoryPeak(t testing.TB, s *server) int {
	t.Helper()
	return statusOf(t, s, "VmHWM:")
}

// With ever fewer files that may be open, calls either answer as always or fail with
// io_error: what cannot be looked at is never taken for missing or invalid.
func TestTooManyOpenFilesAreAnIOError(t *testing.T) {
	root := newRoot(t, 3)
	buildCache(t, writeDocuments(t, 3), filepath.Join(root, "team", "docs"))
	const failed = `"text":"{\"error\":{\"code\":\"io_error\",\"message\":\"I/O error occurred\"}}\n"`
	for _, call := range []struct{ tool, arguments string }{
		{"context.list_caches", `{}`},
		{"context.list_caches", `{"root":"team"}`},
		{"context.inspect_cache", `{"cache":"docs"}`},
		{"context.inspect_cache", `{"cache":"team/docs"}`},
		{"context.resolve", `{"cache":"docs","query":"eta","budget":500}`},
		{"context.resolve", `{"cache":"team/docs","query":"eta","budget":500}`},
	} {
		s := serve(t, root)
		ask := func() string {
			s.sendCall(call.tool, call.arguments)
			_, result, _ := strings.Cut(s.receive(), `"result":`)
			return result
		}
		want := ask()
		if strings.Contains(want, `"isError":true`) {
			t.Fatalf("%s %s: got %s", call.tool, call.arguments, want)
		}
		s = serve(t, root) // without the files that the call has opened
		failures := 0
		for limit := 1; ; limit++ {
			limitFiles(t, s, limit)
			got := ask()
			if got == want {
				break
			}
			if !strings.Contains(got, failed) || limit > 100 {
				t.Fatalf("%s %s with %d files: got %s, want %s", call.tool, call.arguments, limit, got, want)
			}
			failures++
		}
		if failures < 5 { // the number of files open at the start
			t.Errorf("%s %s: only %d calls failed", call.tool, call.arguments, failures)
		}
	}
}

// limitFiles sets how many files the server may have open.
func limitFiles(t *testing.T, s *server, n int) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = uint64(n)
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
}
