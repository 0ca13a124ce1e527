package bench

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
)

var (
	warmCaches    = flag.String("caches", "", "caches for BenchmarkWarm, separated by commas; by default, it builds a small cache")
	warmQuestions = flag.String("questions", "", "file of questions for BenchmarkWarm, one per line; by default, they are about generated pages")
)

// This measures answers of a process that has already answered each question once.
// Questions follow each other, so only what is kept for later questions is warm.
func BenchmarkWarm(b *testing.B) {
	paths := strings.FieldsFunc(*warmCaches, func(r rune) bool { return r == ',' })
	if len(paths) == 0 {
		path, _ := buildCache(b, sizes[len(sizes)-1], selection.Spec1)
		paths = []string{path}
	}
	asked := questions()
	if *warmQuestions != "" {
		text, err := os.ReadFile(*warmQuestions)
		if err != nil {
			b.Fatal(err)
		}
		asked = strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	for _, path := range paths {
		cache := open(b, path)
		set, err := answers.NewSet([]answers.Member{{Cache: cache}})
		if err != nil {
			b.Fatal(err)
		}
		for _, op := range []struct {
			name string
			run  func(question string) error
		}{
			{"search", func(question string) error {
				_, err := agent.Markdown(agent.Search(b.Context(), set, agent.SearchRequest{Query: question, MinScore: agent.SearchMinScore}))
				return err
			}},
			{"ask", func(question string) error {
				_, err := agent.Markdown(agent.Ask(b.Context(), set, agent.AskRequest{Query: question, MinScore: agent.AskMinScore}))
				return err
			}},
			{"resolve", func(question string) error {
				query, err := selection.ParseQuery(question)
				if err != nil {
					return err
				}
				return set.Resolve(b.Context(), selection.Request{Query: query, Selection: selection.Spec1, Budget: 4000}, io.Discard)
			}},
		} {
			b.Run("cache="+filepath.Base(path)+"/op="+op.name, func(b *testing.B) { reportLatencies(b, asked, op.run) })
		}
	}
}

// reportLatencies asks each question once to get warm, and then again and again.
func reportLatencies(b *testing.B, questions []string, ask func(question string) error) {
	for _, question := range questions {
		if err := ask(question); err != nil {
			b.Fatal(err)
		}
	}
	var latencies []time.Duration
	defer reportCPU(b)()
	for b.Loop() {
		began := time.Now()
		if err := ask(questions[len(latencies)%len(questions)]); err != nil {
			b.Fatal(err)
		}
		latencies = append(latencies, time.Since(began))
	}
	reportPercentiles(b, latencies)
}

func reportPercentiles(b *testing.B, latencies []time.Duration) {
	slices.Sort(latencies)
	for percentile, name := range map[int]string{50: "p50-ms", 99: "p99-ms"} {
		b.ReportMetric(float64(latencies[len(latencies)*percentile/100].Microseconds())/1_000, name)
	}
}
