package console

import (
	"os/exec"
	"strings"
	"testing"
)

// What the command line suggests can be pasted into a shell.
func TestAShellReadsALineAsItsWords(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: ", err)
	}
	words := []string{
		"plain", "a/b.c-d_e=f", "how to", "what's new", "*.md", "!drafts/", "{path}", "$HOME", "`ls`", `"quoted"`, `it's "both"`, "a;b", "~", "#x", "a\tb", "",
	}
	out, err := exec.Command(shell, "-c", `printf '%s|' `+ShellLine(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), strings.Join(words, "|")+"|"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
