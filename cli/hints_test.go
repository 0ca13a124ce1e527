package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
)

// inProject changes to a new directory with a page, a Contextfile of this name, and a cache of it
// at build/context/docs.
func inProject(t *testing.T, contextfile string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("CONTEXT_STORE", filepath.Join(t.TempDir(), "store"))
	for path, text := range map[string]string{
		"docs/a.md":   "# A\n\nuse -force now\n",
		"file":        "not a directory\n",
		"caches/x.md": "# X\n",
		contextfile:   "version: 1\ncaches:\n  docs: {sources: [docs]}\n",
	} {
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	if status := Main(t.Context(), strings.Fields("build --sources docs --cache build/context/docs"), new(bytes.Buffer), &stderr); status != statusOK {
		t.Fatal(&stderr)
	}
}

// mistakes are command lines with the exit status and a part of the only line on standard error.
type mistakes map[string]struct {
	status int
	want   string
}

func (all mistakes) try(t *testing.T) {
	t.Helper()
	for line, m := range all {
		var stdout, stderr bytes.Buffer
		status := Main(t.Context(), strings.Fields(line), &stdout, &stderr)
		got := filepath.ToSlash(stderr.String())
		if status != m.status || !strings.HasPrefix(got, "error: ") || strings.Count(got, "\n") != 1 || !strings.Contains(got, filepath.ToSlash(m.want)) {
			t.Errorf("%s: got status %d and %s, want %d and %s", line, status, got, m.status, m.want)
		}
	}
}

func TestAMistakeNamesTheNextStep(t *testing.T) {
	inProject(t, "Contextfile.yml")
	mistakes{
		"search --cache build x":            {5, "name one of them, such as build/context/docs"},
		"search --cache build/context x":    {5, "name one of them, such as build/context/docs"},
		"search --cache docs x":             {5, "for the target of that name, write --target docs"},
		"build --watch":                     {1, "; run `context watch` (see"},
		"build -w":                          {1, "; run `context watch` (see"},
		"--json search timeout":             {1, `unknown command "timeout" for "context"; write flags after the command (see`},
		"-q build docs":                     {1, `unknown command "docs" for "context"; write flags after the command (see`},
		"add next":                          {1, `got "next"; did you mean npm:next or python:next?`},
		"add @scope/name":                   {1, "did you mean npm:@scope/name?"},
		"add pypi:requests":                 {1, "did you mean python:requests?"},
		"add ghcr.io/a/b:v1":                {1, "did you mean oci://ghcr.io/a/b:v1?"},
		"add github.com/a/b":                {1, "did you mean git:https://github.com/a/b or go:github.com/a/b?"},
		"add https://example.com/a/b":       {1, "did you mean git:https://example.com/a/b?"},
		"add https://example.com/a.tar.gz":  {1, "did you mean archive:https://example.com/a.tar.gz?"},
		"add git@example.com:a/b.git":       {1, "did you mean git:git@example.com:a/b.git?"},
		"add ./docs":                        {1, ": list directories of this project under sources in the file instead"},
		"pull --cache z localhost:5000/x:v": {1, "did you mean oci://localhost:5000/x:v?"},
		"push docker://ghcr.io/a/b:v1":      {1, "did you mean oci://ghcr.io/a/b:v1?"},
		"pull --cache z usb/caches:v1":      {1, "did you mean oci-layout:usb/caches:v1?"},
		"ask --cache localhost:5000/x:v q":  {1, "there is no directory localhost:5000/x:v; did you mean oci://localhost:5000/x:v?"},
	}.try(t)
	t.Setenv("CONTEXT_STORE", filepath.Join("file", "store"))
	t.Setenv("XDG_STATE_HOME", fileIn(t))
	mistakes{
		"store list":   {6, "; set CONTEXT_STORE to a directory that you can write to"},
		"trust --list": {6, "; set XDG_STATE_HOME to a directory that you can write to"},
	}.try(t)
}

func fileIn(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("file")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAMisspelledContextfileIsNamed(t *testing.T) {
	for _, name := range []string{"Contextfile.yaml", "Contextfile", ".contextfile.yml"} {
		inProject(t, name)
		const advice = " is not read because of its name: rename it to "
		all := mistakes{}
		for _, line := range []string{"build", "build docs", "check", "watch", "ask x", "fetch", "trust", "add npm:next", "new"} {
			all[line] = struct {
				status int
				want   string
			}{1, "error: " + name + advice + "Contextfile.yml (see"}
		}
		all.try(t)
		t.Chdir("docs")
		above := filepath.Join("..", name)
		mistakes{"build": {1, above + advice + filepath.Join("..", "Contextfile.yml")}}.try(t)
		if err := os.WriteFile(filepath.Join("..", "Contextfile.yml"), []byte("version: 1\ncaches:\n  docs: {sources: [docs]}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if status := Main(t.Context(), []string{"ask", "use"}, new(bytes.Buffer), &stderr); status != statusOK {
			t.Errorf("with a Contextfile.yml beside %s: got %s", name, &stderr)
		}
	}
}

// A text that search suggests for grep can be passed unchanged, even if it begins with a dash.
func TestGrepTakesAPatternThatBeginsWithADash(t *testing.T) {
	inProject(t, "Contextfile.yml")
	for line, want := range map[string]string{
		"grep -force":           "3: use -force now",
		"grep -C 1 -force":      "3: use -force now",
		"grep -force --limit 1": "3: use -force now",
		"grep -- -force":        "3: use -force now",
		"grep -home":            "no line",
		"grep --max-retries":    "no line",
		"grep -force docs":      "unknown shorthand flag",
		"grep --ignorecase":     "did you mean --ignore-case",
		"grep -limit":           "did you mean --limit",
		"grep -iE":              "missing PATTERN",
	} {
		var out bytes.Buffer
		Main(t.Context(), strings.Fields(line), &out, &out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: got %s, want %s", line, &out, want)
		}
	}
}

func TestGitHubGetsTheAnnotationsThatItShows(t *testing.T) {
	var stderr bytes.Buffer
	cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
		for i := range 13 {
			say(cmd, console.Remark{Kind: "error", Message: fmt.Sprint("number ", i)})
		}
		say(cmd, console.Remark{Kind: "warning", Message: "other"})
		return nil
	}}
	bindAnnotations(cmd, "json")
	runCommand(t.Context(), cmd, []string{"--format", "github"}, new(bytes.Buffer), &stderr)
	const rest = "error: number 10\nerror: number 11\nerror: number 12\n::warning::other\n" +
		"error: 3 more are only in the log, because GitHub shows at most 10 errors per step\n"
	if got := stderr.String(); strings.Count(got, "::error::number") != 10 || !strings.HasSuffix(got, "::error::number 9\n"+rest) {
		t.Errorf("got %s", got)
	}
}
