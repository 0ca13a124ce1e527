package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
)

// Names of files, directories, commands and flags pass every place that prints them for a
// person or for CI.
func FuzzNoNameLeavesItsLine(f *testing.F) {
	for _, name := range []string{
		"a\nerror: b", "a\r\n::error file=x::b", "a\x1b[31m", "a\x1b]0;title\x07", "a\u009b2J", "a\u202etxt\u2066", "a\u2028b\u2029c", "a\tb\vc", "a\x7f", "\ufeffa",
		"::warning::", "a%0Ab", "`$(x)`", "| a |", "-a", "a=b", "", ".", "a\xffb", strings.Repeat("long", 50),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		dir := t.TempDir()
		hostile := makeHostile(t, dir, name)
		cache := filepath.Join(dir, "cache")
		for _, args := range [][]string{
			{"build", "--sources", filepath.Join(dir, "docs"), "--cache", cache, "--skip-invalid", "--exclude", name, "--description", name},
			{"build", "--sources", filepath.Join(dir, "docs"), "--cache", cache, "--skip-invalid", "--force", "--format", "github"},
			{"build", "--sources", filepath.Join(dir, "docs"), "--cache", cache, "--force"}, // fails
			{"build", "--sources", filepath.Join(dir, "docs"), "--cache", cache, "--force", "--format", "github"},
			{"build", "--sources", hostile, "--cache", hostile, "--selection", name},
			{"build", "--file", hostile},
			{"build", name},
			{"check", "--file", filepath.Join(dir, "Contextfile.yml"), "--format", "github"},
			{"check", "--file", filepath.Join(dir, "Contextfile.yml"), name},
			{"inspect", "--cache", hostile},
			{"verify", "--cache", hostile, "--format", "github"},
			{"resolve", "--cache", hostile, "--query", name, "--budget", name},
			{"search", "--cache", hostile, name},
			{"search", "--cache", name + "=" + cache, "--where", name, name},
			{"eval", "--cache", cache, "--queries", filepath.Join(dir, "q"), "--qrels", filepath.Join(dir, "j"), "--add", name, "--right", name},
			{"eval", "--cache", cache, "--queries", name, "--qrels", hostile, "--fail-under", name},
			{"read", "--cache", cache, name, name + "#" + name},
			{"grep", "--cache", cache, "-E", name + "("},
			{"outline", "--cache", cache, "--path", name, "--into", hostile},
			{"status", "--path", hostile},
			{"validate", "--path", dir, "--format", "github"},
			{"show", "--path", dir, name},
			{"init", "--path", dir, name},
			{"new", "--path", hostile},
			{"x" + name},
			{"--x" + name},
			{"help", name},
			{"search", "--x" + name, "x"},
		} {
			var stdout, stderr bytes.Buffer
			Main(t.Context(), args, &stdout, &stderr)
			for line := range strings.Lines(stderr.String()) {
				line = strings.TrimSuffix(line, "\n")
				kind, _, _ := strings.Cut(strings.TrimPrefix(line, "::"), ":")
				kind, _, _ = strings.Cut(kind, " ")
				if line != words.Printable(line) || kind != "error" && kind != "warning" {
					t.Errorf("%q: got the line %q", args, line)
				}
			}
		}
		checkCells(t, name)
	})
}

// makeHostile makes sources and a project that have the name in all places. It returns the
// path of a directory with that name.
func makeHostile(t *testing.T, dir, name string) string {
	t.Helper()
	plain := strings.NewReplacer("/", "", "\x00", "").Replace(name)
	hostile := filepath.Join(dir, "project", "x"+plain)
	for path, text := range map[string]string{
		filepath.Join(dir, "docs", "a.md"):          "# A\n",
		filepath.Join(dir, "docs", "x"+plain+".md"): "---\na: [\n---\n",
		filepath.Join(dir, "docs", "y"+plain+".md"): "\xff",
		filepath.Join(hostile, ".context.yaml"):     "version: 1\nsummary: [" + plain,
		filepath.Join(hostile, "a.go"):              "package a\n",
		filepath.Join(dir, "Contextfile.yml"):       "version: 1\ncaches: {docs: {sources: [docs], output: cache}}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Skip("the system refuses the name: ", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Skip("the system refuses the name: ", err)
		}
	}
	return hostile
}

// checkCells checks the tables and the summary with a name in each cell.
func checkCells(t *testing.T, name string) {
	t.Helper()
	s := console.Sheet{Heading: []string{"Target", "Cache"}}
	s.Add(name, name)
	texts := []string{s.Text(nil), summaryOf(verifyCommand(), s, s, []error{fault.Errorf(fault.IO, "%w", errors.New(name))})}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); line != words.Printable(line) {
				t.Errorf("got the line %q", line)
			}
		}
	}
	if got := strings.Count(s.Text(nil), "\n"); got != 2 {
		t.Errorf("got a table of %d lines, want 2: %q", got, s.Text(nil))
	}
}
