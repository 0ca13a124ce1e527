package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/contextcompiler/context/cli"
)

// testdata/caches/recorded holds caches that another implementation of the
// format built, each with the docs it was built from and the answers that
// implementation gave. They are facts from outside: a test that fails on them is
// never mended by changing them.
const recordedCaches = "../../testdata/caches/recorded"

// An answer is what another implementation printed for a query.
type answer struct {
	Query  string
	Budget int
	Format string
	Stdout string
}

func TestRecordedCachesAreReadAsRecorded(t *testing.T) {
	eachRecorded(t, func(t *testing.T, recorded string) {
		cache := filepath.Join(recorded, "cache")
		wantAnswers(t, cache, recordedAnswers(t, recorded))
		if got, want := printed(t, "inspect", "--cache", cache), string(readFile(t, filepath.Join(recorded, "inspect.json"))); got != want {
			t.Errorf("inspect: got\n%s\nwant\n%s", got, want)
		}
		printed(t, "verify", "--cache", cache)
		want := string(readFile(t, filepath.Join(recorded, "inspect.json")))
		if got := printed(t, "inspect", "--cache", filepath.Join(recorded, "cache")); got != want {
			t.Errorf("inspect: got %s, want %s", got, want)
		}
	})
}

// created_at is the only thing in the JSON files that depends on who built the
// cache.
func TestBuildMakesTheRecordedManifestAndIndex(t *testing.T) {
	createdAt := regexp.MustCompile(`"created_at": "[^"]*"`)
	eachRecorded(t, func(t *testing.T, recorded string) {
		built := filepath.Join(t.TempDir(), "cache")
		build := exec.CommandContext(t.Context(), "context", "build", "--sources", filepath.Join(recorded, "docs"), "--cache", built, "--selection", "0")
		if out, err := build.CombinedOutput(); err != nil { // pages in hidden directories get a warning
			t.Fatalf("%v: %s", err, out)
		}
		for _, name := range []string{"manifest.json", "index.json"} {
			got := createdAt.ReplaceAll(readFile(t, filepath.Join(built, name)), nil)
			want := createdAt.ReplaceAll(readFile(t, filepath.Join(recorded, "cache", name)), nil)
			if !bytes.Equal(got, want) {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
		wantAnswers(t, built, recordedAnswers(t, recorded))
	})
}

func eachRecorded(t *testing.T, test func(t *testing.T, recorded string)) {
	t.Helper()
	dirs, err := filepath.Glob(recordedCaches + "/*")
	if err != nil || len(dirs) < 2 {
		t.Fatalf("got %d recorded caches, want at least 2: %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

func recordedAnswers(t *testing.T, recorded string) []answer {
	t.Helper()
	var answers []answer
	if err := json.Unmarshal(readFile(t, filepath.Join(recorded, "resolve.json")), &answers); err != nil || len(answers) == 0 {
		t.Fatalf("got %d answers: %v", len(answers), err)
	}
	return answers
}

// wantAnswers fails the test unless the cache gives the recorded answers.
func wantAnswers(t *testing.T, cache string, answers []answer) {
	t.Helper()
	for _, a := range answers {
		got := printed(t, "resolve", "--cache", cache, "--query", a.Query, "--budget", strconv.Itoa(a.Budget), "--format", a.Format)
		if got != a.Stdout {
			t.Errorf("query %q, budget %d, %s:\n got %s\nwant %s", a.Query, a.Budget, a.Format, got, a.Stdout)
		}
	}
}

// printed returns the standard output of a command. It fails the test unless the
// command succeeds and writes nothing on standard error.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := cli.Main(t.Context(), args, &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Fatalf("%q: got status %d, %s", args, status, &stderr)
	}
	return stdout.String()
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
