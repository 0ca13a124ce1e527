package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// colour matches the control sequences of colours.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// With --color always, a command prints the same with colours, also to standard error.
func TestColoursAreAllThatColorAdds(t *testing.T) {
	dir := t.TempDir()
	page := "# Setup\r\n\n\tInstalled \x07 by `install.sh`: 日本語\u202e in E1001.\r\n## Remove\n\nUninstall it.\n"
	if err := os.MkdirAll(filepath.Join(dir, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"docs/setup.md":   page,
		"docs/other.md":   "---\ntitle: [\n---\n# Other\n\nNothing to see: E1002.\n",
		"Contextfile.yml": "version: 1\ncaches:\n  docs: {sources: [docs]}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	run := func(args ...string) (status int, stdout, stderr string) {
		var out, err bytes.Buffer
		status = Main(t.Context(), args, &out, &err)
		return status, out.String(), err.String()
	}
	for _, command := range []string{"build", "init"} {
		if status, _, stderr := run(command); status != 0 {
			t.Fatalf("%s: %s", command, stderr)
		}
	}
	for _, tc := range []struct {
		line           string
		stdout, stderr bool // whether it gets colours
	}{
		{"build", false, true},
		{"search how-to-install-日本語", true, false},
		{"search --limit 0 install", false, true},
		{"ask installing", true, false},
		{"ask nowhere", false, false},
		{"ask installing --format json", false, false},
		{"read setup.md setup.md#none", true, true},
		{"read none.md", false, true},
		{"grep install", true, false},
		{"grep -i -E e[0-9]{4}|^install", true, false},
		{"grep none", false, false},
		{"outline", true, false},
		{"caches", false, false},
		{"status", true, false},
		{"status --json", false, false},
		{"check", false, true},
		{"explain --cache build/context/docs --query install --budget 90", false, false},
		{"resolve --cache build/context/docs --query install --budget 90", false, false},
		{"resolve --cache none --query install --budget 90", false, true},
		{"read", false, true},
	} {
		args := strings.Fields(tc.line)
		status, stdout, stderr := run(args...)
		if strings.Contains(stderr, "\x1b") || colour.MatchString(stdout) {
			t.Errorf("%s: got colours without a terminal", tc.line)
		}
		coloured, out, err := run(append(args, "--color", "always")...)
		if coloured != status || colour.ReplaceAllString(out, "") != stdout || colour.ReplaceAllString(err, "") != stderr {
			t.Errorf("%s: got %d\n%q\n%q, want %d\n%q\n%q", tc.line, coloured, out, err, status, stdout, stderr)
		}
		if got := colour.MatchString(out); got != tc.stdout {
			t.Errorf("%s: colours on standard output: got %t: %q", tc.line, got, out)
		}
		if got := colour.MatchString(err); got != tc.stderr {
			t.Errorf("%s: colours on standard error: got %t: %q", tc.line, got, err)
		}
	}
}
