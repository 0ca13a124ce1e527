package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNotesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.md")
	for _, step := range []struct{ old, text, want string }{
		{"", "a\n<!-- notes -->\n<!-- /notes -->\nb\n", "a\n<!-- notes -->\n<!-- /notes -->\nb\n"},
		{"x\n<!-- notes -->\nby hand\n<!-- /notes -->\ny\n", "a\n<!-- notes -->\n<!-- /notes -->\nb\n", "a\n<!-- notes -->\nby hand\n<!-- /notes -->\nb\n"},
		{"<!-- notes -->\nnever ended\n", "a\n<!-- notes -->\n<!-- /notes -->\n", "a\n<!-- notes -->\n<!-- /notes -->\n"},
	} {
		if step.old != "" {
			if err := os.WriteFile(path, []byte(step.old), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := writeKeepingNotes(path, step.text); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); string(got) != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}
