package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/bench/corpus"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// This measures calls of context.resolve over the pipes of the real server. The cache is
// already open, and each call asks another question.
func BenchmarkServe(b *testing.B) {
	program := buildServer(b)
	for _, docs := range []int{650, 3_100, 14_000} {
		root := b.TempDir()
		dir, _ := writeCorpus(b, docs)
		for number := range 2 {
			cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: dir}}, Cache: filepath.Join(root, fmt.Sprint(number)), Selection: selection.SpecOf(number)}
			if _, err := pipeline.Build(b.Context(), cfg); err != nil {
				b.Fatal(err)
			}
			for _, budget := range []int{0, 4_000} {
				b.Run(fmt.Sprintf("selection=%d/docs=%d/budget=%d", number, docs, budget), func(b *testing.B) {
					server := startServer(b, program, root)
					callOften(b, server, func(question string) string {
						return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context.resolve",`+
							`"arguments":{"cache":"%d","query":"%s","budget":%d}}}`, number, question, budget)
					}, questions())
				})
			}
		}
	}
}

// questions returns questions about the first pages of each corpus.
func questions() (all []string) {
	for page := range 500 {
		all = append(all, corpus.Question(page))
	}
	return all
}

// callOften reports how long calls take. It leaves out the first two, which open the
// cache and show that callers use it often.
func callOften(b *testing.B, server *server, call func(question string) string, questions []string) {
	for _, question := range questions[:2] {
		server.ask(b, call(question))
	}
	var latencies []time.Duration
	for b.Loop() {
		line := call(questions[len(latencies)%len(questions)])
		began := time.Now()
		server.ask(b, line)
		latencies = append(latencies, time.Since(began))
	}
	slices.Sort(latencies)
	for _, percentile := range []int{50, 99} {
		at := latencies[len(latencies)*percentile/100]
		b.ReportMetric(float64(at.Microseconds())/1_000, fmt.Sprintf("p%d-ms", percentile))
	}
}

// buildServer builds the program with the flags of a release.
func buildServer(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "mcp-context-server")
	cmd := exec.Command("go", "build", "-o", program, "github.com/contextcompiler/context/cmd/mcp-context-server")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

// A server is a running server process.
type server struct {
	in  io.Writer
	out *bufio.Reader
}

// startServer starts the program and begins a session.
func startServer(b *testing.B, program, root string) *server {
	b.Helper()
	cmd := exec.Command(program, "--cache-root", root)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	s := &server{in, bufio.NewReaderSize(out, 1<<20)}
	s.ask(b, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	return s
}

// ask sends a line and reads the answer, which must be no failure.
func (s *server) ask(b *testing.B, line string) {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		b.Fatal(err)
	}
	answer, err := s.out.ReadString('\n')
	if err != nil || !strings.Contains(answer, `"result":`) || strings.Contains(answer, `"isError":true`) {
		b.Fatalf("got %.300s, %v", answer, err)
	}
}
