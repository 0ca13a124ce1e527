package contextfile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/describe"
)

// someDerived has a value for each derivable field.
var someDerived = contextfile.Derived{
	Summary:        "New",
	Subdirectories: []contextfile.Subdirectory{{Name: "api", Summary: "API"}},
	Project:        &describe.ProjectProfile{Name: "p", Description: "d", Language: "Go"},
	Structure:      []contextfile.StructureEntry{{Path: "src", Summary: "code"}},
}

func TestSetDerivedEditsLines(t *testing.T) {
	const top = "version: 1\nlast_updated: l\nfingerprint: f\nscope: .\n"
	for _, test := range []struct{ name, before, after string }{
		{
			"comments stay",
			top + "# about\nsummary: Old # kept\n\n# more\nmaintenance: m\n# subs\nsubdirectories:\n  - name: a # goes\n    summary: b\n" +
				"  # goes\n\n# end\nderived_fields: [summary, subdirectories]\n",
			top + "# about\nsummary: New # kept\n\n# more\nmaintenance: m\n# subs\nsubdirectories:\n  - name: api\n    summary: API\n" +
				"\n# end\nderived_fields: [summary, subdirectories]\n",
		},
		{
			"fields that are not named stay",
			top + "summary: Old\nmaintenance: m\nproject: {name: a, description: b, language: c}\nderived_fields: [structure, files]",
			top + "summary: Old\nmaintenance: m\nproject: {name: a, description: b, language: c}\n" +
				"structure:\n  - path: src\n    summary: code\nderived_fields: [structure, files]",
		},
		{
			"several at the end, which has no line end",
			top + "summary: >\n  Old\n\n  text\n\nderived_fields: [summary, subdirectories, project, structure]\nmaintenance: m",
			top + "summary: New\n\nderived_fields: [summary, subdirectories, project, structure]\nmaintenance: m\n" +
				"subdirectories:\n  - name: api\n    summary: API\nproject:\n  name: p\n  description: d\n  language: Go\n" +
				"structure:\n  - path: src\n    summary: code\n",
		},
		{
			"kept lines of a block, and a document's end",
			top + "summary: Old\nderived_fields: [project]\nmaintenance: |+\n  m\n  # text\n\n\n...\n",
			top + "summary: Old\nderived_fields: [project]\nmaintenance: |+\n  m\n  # text\n\n\nproject:\n  name: p\n  description: d\n  language: Go\n...\n",
		},
		{
			"a new field before a summary of several lines",
			top + "maintenance: m\nsummary: |\n  Old\n  text\nderived_fields: [summary, project]\n",
			top + "maintenance: m\nproject:\n  name: p\n  description: d\n  language: Go\nsummary: New\nderived_fields: [summary, project]\n",
		},
		{
			"an order of its own, entries that are not indented",
			"structure:\n- path: a\n  summary: b\n- path: c\n  summary: d\nderived_fields: [structure, subdirectories]\nsummary: s\n" + top + "maintenance: m\n",
			"structure:\n  - path: src\n    summary: code\nderived_fields: [structure, subdirectories]\nsummary: s\n" + top +
				"maintenance: m\nsubdirectories:\n  - name: api\n    summary: API\n",
		},
	} {
		for variant, change := range map[string]func(string) string{
			"as it is": func(s string) string { return s },
			"CRLF":     func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			"BOM":      func(s string) string { return "\uFEFF" + s },
		} {
			t.Run(test.name+"/"+variant, func(t *testing.T) {
				after, err := contextfile.SetDerived([]byte(change(test.before)), someDerived)
				if err != nil {
					t.Fatal(err)
				}
				if want := change(test.after); string(after) != want {
					t.Errorf("got:\n%s\nwant:\n%s", after, want)
				}
			})
		}
	}
}

func TestSetDerivedRemovesWhatIsGone(t *testing.T) {
	all := someDerived
	all.Files = []describe.DescribedFile{{Name: "a.go", Purpose: "Mends", TestFile: "a_test.go"}}
	all.Exports = []string{"A"}
	before := contextfile.New("s", "f", "l", all)
	after, err := contextfile.SetDerived(before, contextfile.Derived{Summary: "Gone"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := contextfile.Parse(after)
	if err != nil {
		t.Fatal(err)
	}
	if c.Summary != "Gone" || has(c, "files") || has(c, "subdirectories") || has(c, "exports") || has(c, "project") || has(c, "structure") || len(c.DerivedFields) != 6 {
		t.Errorf("got:\n%s", after)
	}
	back, err := contextfile.SetDerived(after, all)
	if err != nil || !bytes.Equal(back, before) {
		t.Errorf("got:\n%s\n%v, want:\n%s", back, err, before)
	}
}

func TestSetDerivedNeverRemovesTheSummary(t *testing.T) {
	after, err := contextfile.SetDerived([]byte(head+"derived_fields: [summary]\n"), contextfile.Derived{})
	if err != nil || !strings.Contains(string(after), "summary: \"\"\n") {
		t.Errorf("got %q, %v", after, err)
	}
}

func TestSetDerivedIndentsLikeTheFile(t *testing.T) {
	text := strings.ReplaceAll("\n"+head+"derived_fields: [structure]\n", "\n", "\n   ")
	after, err := contextfile.SetDerived([]byte(text), someDerived)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(text, "   derived", "   structure:\n     - path: src\n       summary: code\n   derived", 1)
	if string(after) != want {
		t.Errorf("got:\n%q\nwant:\n%q", after, want)
	}
}

func TestSetDerivedRefusesWhatItCannotEdit(t *testing.T) {
	const lines = "the fields do not each begin a line of their own; write them below each other as name: value"
	for text, want := range map[string]string{
		`{"version": 1, "last_updated": "", "fingerprint": "", "scope": "", "summary": "", "maintenance": "", "derived_fields": ["summary"]}`: "line 1: " + lines,
		"? version\n: 1\n" + head[len("version: 1\n"):] + "derived_fields: [summary]\n":                                                       "line 1: " + lines,
		strings.Replace(head, `"S"`, "&s S", 1) + "todos: [*s]\nderived_fields: [summary]\n":                                                  "the edit would not leave todos as it is to be; remove anchors and aliases",
		head + "project: &p {name: &n n, description: d, language: l}\nstructure: []\ntodos: [*n]\nderived_fields: [project]\n":               "the edited text would not be valid: line 12: not YAML: unknown anchor 'n' referenced; put text that begins with * or & in quotes",
	} {
		after, err := contextfile.SetDerived([]byte(text), someDerived)
		if after != nil || err == nil || err.Error() != want {
			t.Errorf("%q: got %q, %v, want %s", text, after, err, want)
		}
	}
}

func TestSetDerivedReturnsTheTextItselfIfNothingChanges(t *testing.T) {
	for _, text := range []string{
		head,
		head + "derived_fields: [summary]\n",
		head + "derived_fields: [files, maintenance, version, nonsense]\n",
		"{" + strings.ReplaceAll(strings.TrimSpace(head), "\n", ", ") + ", derived_fields: [summary]}",
	} {
		d := contextfile.Derived{Summary: "S"}
		before := []byte(text)
		after, err := contextfile.SetDerived(before, d)
		if err != nil || string(after) != text || &after[0] != &before[0] {
			t.Errorf("got %q, %v, want the text itself: %q", after, err, text)
		}
	}
}
