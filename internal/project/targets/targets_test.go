package targets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
)

func TestFindTakesTheNearestFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("a/b/c", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{".", "a/b"} {
		if err := os.WriteFile(filepath.Join(at, Name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]string{
		".": Name, "a": "a/../" + Name, "a/b": "a/b/" + Name, "a/b/c": "a/b/" + Name, dir: dir + "/" + Name, dir + "/a": dir + "/" + Name,
	} {
		if got, err := Find(from); err != nil || got != filepath.Join(filepath.FromSlash(want)) {
			t.Errorf("from %s: got %q, %v, want %q", from, got, err, want)
		}
	}
	if err := os.Remove(Name); err != nil {
		t.Fatal(err)
	}
	if got, err := Find("a"); err != nil || got != "" {
		t.Errorf("got %q, %v, want none", got, err)
	}
}

// A file that cannot be looked at is not taken for one that does not exist.
func TestFindReportsWhatTheSystemRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(file); err == nil || fault.CodeOf(err) != fault.IO || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %q, %v, want an error of the system", got, err)
	}
}

func TestChooseKeepsTheOrderOfTheFile(t *testing.T) {
	f, err := parse("F", []byte("version: 1\ncaches: {a: {sources: [x]}, b: {sources: [x]}, c: {sources: [x]}}"), Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for names, want := range map[string]string{"": "a b c", "c a c": "a c", "b": "b"} {
		chosen, err := f.Choose(strings.Fields(names))
		if got := strings.Join(namesOf(chosen), " "); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", names, got, err, want)
		}
	}
}

func namesOf(targets []Target) (names []string) {
	for _, t := range targets {
		names = append(names, t.Name)
	}
	return names
}

// Any text is a Contextfile whose parts are sound, or has an error in one line that names
// the file.
func FuzzAnyTextIsReadOrRefused(f *testing.F) {
	for _, body := range []string{
		"docs: {sources: [docs]}",
		"docs:\n    description: D\n    base_url: https://example.com/\n    sources:\n      - {dir: a, at: b, include: ['*'], exclude: [c]}\n      - {dir: ../x, extensions: [md, mdx]}\n" +
			"    gitignore: true\n    drafts: false\n    output: o\n    selection: 0\n    checks:\n      - {queries: q, qrels: r, baseline: b, tolerance: 0.1, budgets: [1], fail_under: {ndcg@10: 0.5}}",
		"a: &a {sources: [x]}\n  b: *a", "a: {from: b}", "a: !!map {sources: [x], output: a}\n  b: {sources: [a/b]}",
	} {
		f.Add([]byte("version: 1\ncaches:\n  " + body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := parse("dir/F", text, Environment{})
		if err != nil {
			if message := err.Error(); !strings.HasPrefix(message, "dir/F") {
				t.Errorf("the error does not name the file: %q", message)
			}
			return
		}
		outputs := map[string]bool{}
		for _, target := range file.Targets {
			cfg := target.Build
			if !answers.IsName(target.Name) || len(cfg.Sources) == 0 || cfg.Selection.Check() != nil || cfg.About.Check() != nil || !cfg.Force {
				t.Errorf("%+v is no target", target)
			}
			for _, m := range cfg.Sources {
				if m.Dir == "" || m.Check() != nil {
					t.Errorf("%+v is no directory of sources", m)
				}
			}
			for _, c := range target.Checks {
				if c.Queries == "" || c.Qrels == "" || len(c.Budgets) == 0 || !slices.IsSorted(c.Budgets) {
					t.Errorf("%+v is no check", c)
				}
			}
			if outputs[cfg.Cache] {
				t.Errorf("two targets have the output %s", cfg.Cache)
			}
			outputs[cfg.Cache] = true
		}
		if len(file.Targets) == 0 || len(file.Targets) != len(slices.Compact(slices.Sorted(slices.Values(namesOf(file.Targets))))) {
			t.Errorf("the names are %q", namesOf(file.Targets))
		}
	})
}

// A Contextfile can come with a clone, and a megabyte on a terminal hides what is wrong.
func TestErrorsDoNotQuoteTextsOfAnyLength(t *testing.T) {
	long := strings.Repeat("k", 900_000)
	for _, text := range []string{
		long + ": 1\n", "version: " + long + "\n", "version: *" + long + "\n",
		"version: 1\ncaches:\n  " + long + ": {sources: [docs]}\n",
		"version: 1\ncaches:\n  d: {sources: [" + long + "]}\n",
		"version: 1\ncaches:\n  d: {selection: " + long + ", sources: [docs]}\n",
		"version: 1\ncaches:\n  d: {sources: [{package: 'npm:" + long + "'}]}\n",
		"version: 1\ncaches:\n  d: {sources: [{git: 'https://x/" + long + "', ref: main}]}\n",
		"version: 1\ncaches:\n  d: {sources: [{convert: {run: [" + long + ", '{out}'], inputs: [x]}}]}\n",
	} {
		path := filepath.Join(t.TempDir(), "Contextfile.yml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, Environment{}); err == nil || len(err.Error()) > len(path)+1000 {
			t.Errorf("%.60s: got %.300v", text, err)
		}
	}
}
