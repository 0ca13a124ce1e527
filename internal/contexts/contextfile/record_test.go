package contextfile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/describe"
)

// A recorded value is init's own in any style of YAML. Every other value is a person's text,
// unless init would write the same.
func TestRecordDerivedTellsEditsFromOldValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, next := drawDerived(t), drawDerived(t)
		before := shuffle(t, contextfile.New("s", "f", "l", old))
		text, err := contextfile.RecordDerived(before)
		if err != nil {
			t.Fatal(err)
		}
		checkOtherLines(t, before, withoutRecord(text))
		if edited := parsed(t, text).Edited(next); len(edited) > 0 {
			t.Errorf("%q counts as edited in\n%s", edited, text)
		}
		if again, err := contextfile.RecordDerived(text); err != nil || !bytes.Equal(again, text) {
			t.Errorf("again: got %q, %v, want %q", again, err, text)
		}

		// Another program writes a value without a record.
		kept := rapid.SampledFrom([]string{"summary", "files", "exports"}).Draw(t, "edited field")
		mine := contextfile.Derived{Summary: "Mine", Files: []describe.DescribedFile{{Name: "mine", Purpose: "Mine"}}, Exports: []string{"Mine"}}
		others := slices.DeleteFunc([]string{"summary", "files", "exports", "subdirectories", "project", "structure"}, func(name string) bool { return name == kept })
		edited, err := contextfile.SetDerived(text, mine, others...)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed(t, edited).Edited(next); !slices.Equal(got, []string{kept}) {
			t.Fatalf("got %q, want %s in\n%s", got, kept, edited)
		}
		if got := parsed(t, edited).Edited(mine); len(got) > 0 {
			t.Errorf("what init would write is %q of somebody else's", got)
		}
		after, err := contextfile.SetDerived(edited, next, kept)
		if err == nil {
			after, err = contextfile.RecordDerived(after, kept)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed(t, after).Edited(old); !slices.Equal(got, []string{kept}) || !strings.Contains(string(after), "Mine") {
			t.Errorf("got %q, want %s in\n%s", got, kept, after)
		}
	})
}

// withoutRecord returns text without its record.
func withoutRecord(text []byte) []byte {
	lines := slices.Collect(bytes.Lines(text))
	return bytes.Join(slices.DeleteFunc(lines, func(line []byte) bool { return bytes.HasPrefix(line, []byte("# init wrote:")) }), nil)
}

func parsed(t *rapid.T, text []byte) *contextfile.Context {
	t.Helper()
	c, err := contextfile.Parse(text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return c
}

func TestRecordDerivedEditsOneLine(t *testing.T) {
	const derived = "derived_fields: [summary]"
	for _, test := range []struct{ name, before, after string }{
		{"at the end, without a line end", head + derived, head + derived + "\n# init wrote: summary=52bd5f3d\n"},
		{"behind the field", head + derived + " # mine\n\n# more\n", head + derived + " # mine\n# init wrote: summary=52bd5f3d\n\n# more\n"},
		{"in place of an old one", "# init wrote: summary=00000000 exports=00000000\n" + head + derived + "\n", "# init wrote: summary=52bd5f3d exports=00000000\n" + head + derived + "\n"},
		{"in place of two, as of a merge", head + derived + "\n# init wrote: summary=00000000\n# init wrote: summary=52bd5f3d", head + derived + "\n# init wrote: summary=52bd5f3d\n"},
		{"of a field that is not derived", head + "derived_fields: []\n# init wrote: summary=00000000\n", head + "derived_fields: []\n# init wrote: summary=00000000\n"},
		{"nothing to say", head, head},
		{"no place", "{" + strings.ReplaceAll(strings.TrimSpace(head), "\n", ", ") + ", " + derived + "}", "{" + strings.ReplaceAll(strings.TrimSpace(head), "\n", ", ") + ", " + derived + "}"},
	} {
		for variant, change := range map[string]func(string) string{
			"as it is": func(s string) string { return s },
			"CRLF":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"BOM":      func(s string) string { return "\uFEFF" + s },
		} {
			t.Run(test.name+"/"+variant, func(t *testing.T) {
				after, err := contextfile.RecordDerived([]byte(change(test.before)))
				if err != nil || string(after) != change(test.after) {
					t.Errorf("got %v\n%s\nwant\n%s", err, after, change(test.after))
				}
			})
		}
	}
}
