package contextfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/describe"
)

const (
	newFingerprint = "0000e111" // a number, if it stood without quotes
	newUpdated     = "2026-02-02T02:02:02.222Z"
)

// checkEdit fails if after is not before with another fingerprint and
// last_updated: the JSON must differ in these two alone, and the text in no
// more than two lines.
func checkEdit(before, after []byte, fingerprint, updated string) error {
	was, err := contextfile.Parse(before)
	if err != nil {
		return err
	}
	is, err := contextfile.Parse(after)
	if err != nil {
		return err
	}
	if is.Fingerprint != fingerprint || is.LastUpdated != updated {
		return fmt.Errorf("got %q and %q", is.Fingerprint, is.LastUpdated)
	}
	if got, want := withoutTwo(is), withoutTwo(was); got != want {
		return fmt.Errorf("other fields changed:\n%s\nwere:\n%s", got, want)
	}
	if n := changedLines(before, after); n < 0 || n > 2 {
		return fmt.Errorf("%d lines changed:\n%q\nwere:\n%q", n, after, before)
	}
	return nil
}

// withoutTwo returns the JSON of c without the lines of the two values.
func withoutTwo(c *contextfile.Context) string {
	var kept []string
	for line := range strings.Lines(encode(c, nil)) {
		if !strings.HasPrefix(line, `  "fingerprint": `) && !strings.HasPrefix(line, `  "last_updated": `) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// changedLines returns how many lines differ, or -1 if not even their number is
// the same.
func changedLines(before, after []byte) int {
	was, is := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	if len(was) != len(is) {
		return -1
	}
	changed := 0
	for i := range was {
		if !bytes.Equal(was[i], is[i]) {
			changed++
		}
	}
	return changed
}

func TestSetFingerprintEditsEveryValidVector(t *testing.T) {
	for name, text := range vectors(t, "valid") {
		for variant, before := range map[string][]byte{
			"as it is": text,
			"CRLF":     bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")),
			"BOM":      append([]byte("\uFEFF"), bytes.TrimPrefix(text, []byte("\uFEFF"))...),
		} {
			t.Run(name+"/"+variant, func(t *testing.T) {
				after, err := contextfile.SetFingerprint(before, newFingerprint, newUpdated)
				if err != nil {
					t.Fatal(err)
				}
				if err := checkEdit(before, after, newFingerprint, newUpdated); err != nil {
					t.Error(err)
				}
				again, err := contextfile.SetFingerprint(after, newFingerprint, newUpdated)
				if err != nil || !bytes.Equal(again, after) {
					t.Errorf("again: got %q, %v, want %q", again, err, after)
				}
			})
		}
	}
}

func TestTheMarkOfContentsStandsBehindTheFingerprint(t *testing.T) {
	const rest = "version: 1\nlast_updated: l\nscope: s\nsummary: S\nmaintenance: M\n"
	for line, want := range map[string]string{
		"fingerprint: abcd1234\n":                  "fingerprint: abcd1234 # of contents\n",
		"fingerprint: \"abcd1234\"  \r\n":          "fingerprint: \"abcd1234\" # of contents  \r\n",
		"fingerprint: 'a''b' # mine\n":             "fingerprint: 'a''b' # of contents # mine\n",
		"fingerprint: &a !!str abc # of content\n": "fingerprint: &a !!str abc # of contents # of content\n",
		"fingerprint: a # of contents, says Ann\n": "fingerprint: a # of contents, says Ann\n",
		"fingerprint: |\n  abcd1234\n":             "fingerprint: |\n  abcd1234\n",
	} {
		after, err := contextfile.MarkContents([]byte(line + rest))
		if err != nil || string(after) != want+rest {
			t.Errorf("%q: got %q, %v, want %q", line, after, err, want)
		}
	}
	flow := `{"version": 1, "last_updated": "", "fingerprint": "a", "scope": "", "summary": "", "maintenance": ""}`
	if after, err := contextfile.MarkContents([]byte(flow)); err != nil || string(after) != flow {
		t.Errorf("got %q, %v", after, err)
	}
	for name, text := range vectors(t, "valid") {
		t.Run(name, func(t *testing.T) { checkMark(t, text) })
	}
}

func TestSetFingerprintRefusesWhatParseRefuses(t *testing.T) {
	for name, text := range vectors(t, "invalid") {
		_, want := contextfile.Parse(text)
		after, err := contextfile.SetFingerprint(text, newFingerprint, newUpdated)
		if after != nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: got %q, %v, want %v", name, after, err, want)
		}
		after, err = contextfile.SetDerived(text, contextfile.Derived{})
		if after != nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: SetDerived: got %q, %v, want %v", name, after, err, want)
		}
	}
}

// file returns a file whose two values are written as given.
func file(fingerprint, updated string) string {
	return "version: 1\nscope: .\nsummary: s\nmaintenance: m\nfingerprint: " + fingerprint + "\nlast_updated: " + updated + "\n"
}

func TestSetFingerprintKeepsTheStyle(t *testing.T) {
	for _, test := range []struct{ fingerprint, updated, set, wantFingerprint, wantUpdated string }{
		{"abcd1234", "x", "beef0000", "beef0000", newUpdated},
		{"abcd1234 # why", "'x'  # when", "12345678", "\"12345678\" # why", "'" + newUpdated + "'  # when"},
		{"'a'", "\"x\"", "it's", "'it''s'", "\"" + newUpdated + "\""},
		{`"a\" # \\" # no`, "x", `q"\`, `"q\"\\" # no`, newUpdated},
		{"'a''b'", "x", "new\nline", `"new\nline"`, newUpdated},
		{"!!str 12", "!local x", "0x1", "!!str \"0x1\"", "!local " + newUpdated},
		{"&f abc", "*f", "abcdef12", "&f abcdef12", "\"" + newUpdated + "\""},
		{"\n  abc", "\n\n  # c\n  'x'", "f", "\n  f", "\n\n  # c\n  '" + newUpdated + "'"},
		{"\tabc\t", "x ", "true", "\t\"true\"\t", newUpdated + " "},
		{"é\u2028\x01😀", "\"\u2028\x7f😀\"", "n", "n", "\"" + newUpdated + "\""},
	} {
		before := file(test.fingerprint, test.updated)
		after, err := contextfile.SetFingerprint([]byte(before), test.set, newUpdated)
		if err != nil {
			t.Errorf("%q: %v", before, err)
			continue
		}
		if want := file(test.wantFingerprint, test.wantUpdated); string(after) != want {
			t.Errorf("got:\n%s\nwant:\n%s", after, want)
		}
		if err := checkEdit([]byte(before), after, test.set, newUpdated); err != nil {
			t.Error(err)
		}
	}
}

func TestSetFingerprintEditsFlows(t *testing.T) {
	const flow = "{version: 1, scope: s, summary: *s , maintenance: m,\n last_updated: %s, fingerprint: %s}\n"
	before := strings.Replace(fmt.Sprintf(flow, "x", "*s "), "scope: s", "scope: &s s", 1)
	want := strings.Replace(fmt.Sprintf(flow, newUpdated, `"a, b" `), "scope: s", "scope: &s s", 1)
	after, err := contextfile.SetFingerprint([]byte(before), "a, b", newUpdated)
	if err != nil || string(after) != want {
		t.Errorf("got %q, %v, want %q", after, err, want)
	}
	after, err = contextfile.SetFingerprint([]byte(before), "ab: c", newUpdated)
	if err != nil || !strings.Contains(string(after), `"ab: c"`) {
		t.Errorf("got %q, %v", after, err)
	}
}

func TestSetFingerprintSaysWhatToChangeByHand(t *testing.T) {
	const byHand = `line 5: fingerprint: the value is not on one line; write it as fingerprint: "beef"`
	for before, want := range map[string]string{
		file("|\n  abc", "x"):          byHand,
		file(">-\n  abc", "x"):         byHand,
		file("\"a\n  b\"", "x"):        byHand,
		file("'a\n  b'", "x"):          byHand,
		file("a\n  b", "x"):            byHand,
		file("!local", "x"):            byHand,
		file("&f a", "x\ntodos: [*f]"): "the edit would not leave todos as it is to be; remove anchors and aliases",
	} {
		after, err := contextfile.SetFingerprint([]byte(before), "beef", newUpdated)
		if after != nil || err == nil || err.Error() != want {
			t.Errorf("%q: got %q, %v, want %s", before, after, err, want)
		}
	}
}

// drawText draws any text, and often one that YAML has a meaning for.
func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringN(-1, -1, 40),
		rapid.SampledFrom([]string{
			"", "yes", "1e3", "null", "~", "12345678", "a: b", "a #b", "- a", "? a", "[a", "{", "'", "\"", "\\", "\\/", "*a", "&a", "!a",
			"%YAML 1.1", "---", "...", "|", ">", "`", "@", " a", "a ", "\n", "a\nb\n", "\r\n", "\t", "\x00", "\x7f", "\u0085", "\u2028",
			"\uFEFF", "\uFFFE", "\uFFFF", "\U0010FFFF\x01", "\U0010FFFF", "😀", "2026-01-01", "a, b", "don't", "\xff", "\xe2\x80",
		}),
		rapid.StringMatching(`[A-Za-z][A-Za-z ,;./'-]{0,30}`),
	).Draw(t, label)
}

func drawDerived(t *rapid.T) contextfile.Derived {
	d := contextfile.Derived{Summary: drawText(t, "summary")}
	for range rapid.IntRange(0, 3).Draw(t, "subdirectories") {
		d.Subdirectories = append(d.Subdirectories, contextfile.Subdirectory{drawText(t, "name"), drawText(t, "summary")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "files") {
		d.Files = append(d.Files, describe.DescribedFile{Name: drawText(t, "name"), Purpose: drawText(t, "purpose"), TestFile: drawText(t, "test")})
	}
	for range rapid.IntRange(0, 2).Draw(t, "exports") {
		d.Exports = append(d.Exports, drawText(t, "export"))
	}
	if rapid.Bool().Draw(t, "project") {
		d.Project = &describe.ProjectProfile{
			Name: drawText(t, "name"), Description: drawText(t, "description"), Language: drawText(t, "language"),
			Framework: drawText(t, "framework"), PackageManager: drawText(t, "package manager"),
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "structure") {
		d.Structure = append(d.Structure, contextfile.StructureEntry{drawText(t, "path"), drawText(t, "summary")})
	}
	return d
}

func TestNewIsReadable(t *testing.T) {
	got := contextfile.New("src/core", "12345678", "2026-01-01T00:00:00Z", contextfile.Derived{
		Summary:        "Scans, and \"hashes\".",
		Files:          []describe.DescribedFile{{Name: "a.go", Purpose: "Scans.", TestFile: "a_test.go"}, {Name: "b.go", Purpose: "Hashes: all."}},
		Exports:        []string{"Scan", "no"},
		Subdirectories: []contextfile.Subdirectory{{"api", "HTTP handlers"}, {"no", "a: b"}},
		Project:        &describe.ProjectProfile{Name: "x", Description: "", Language: "Go", PackageManager: "go modules"},
		Structure:      []contextfile.StructureEntry{{"src/", "Code"}},
	})
	compareGolden(t, "new.yaml", string(got))
	compareGolden(t, "new-least.yaml", string(contextfile.New(".", "f", "l", contextfile.Derived{})))
}

// A view is a new file as encoding/json reads its JSON.
type view struct {
	Version        int
	LastUpdated    string `json:"last_updated"`
	Fingerprint    string
	Scope          string
	Summary        string
	Files          []fileView
	Maintenance    string
	Subdirectories []contextfile.Subdirectory
	Exports        []string
	Project        *project
	Structure      []contextfile.StructureEntry
	DerivedFields  []string `json:"derived_fields"`
}

type fileView struct {
	Name, Purpose string
	TestFile      string `json:"test_file"`
}

type project struct {
	Name, Description, Language string
	Framework                   string
	PackageManager              string `json:"package_manager"`
}

func viewOf(t *rapid.T, text []byte) view {
	t.Helper()
	c, err := contextfile.Parse(text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	decoder := json.NewDecoder(strings.NewReader(encode(c, nil)))
	decoder.DisallowUnknownFields()
	var v view
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// read returns the text that reading a file with s gives. Texts that are not UTF-8 here
// are one broken rune each.
func read(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// wantView returns the view of a file with the values of d.
func wantView(d contextfile.Derived) view {
	v := view{Version: 1, Summary: read(d.Summary), DerivedFields: []string{"summary", "files", "subdirectories", "exports"}}
	for _, s := range d.Subdirectories {
		v.Subdirectories = append(v.Subdirectories, contextfile.Subdirectory{read(s.Name), read(s.Summary)})
	}
	for _, f := range d.Files {
		v.Files = append(v.Files, fileView{read(f.Name), read(f.Purpose), read(f.TestFile)})
	}
	for _, name := range d.Exports {
		v.Exports = append(v.Exports, read(name))
	}
	if p := d.Project; p != nil {
		v.Project = &project{read(p.Name), read(p.Description), read(p.Language), read(p.Framework), read(p.PackageManager)}
	}
	for _, s := range d.Structure {
		v.Structure = append(v.Structure, contextfile.StructureEntry{read(s.Path), read(s.Summary)})
	}
	if v.Project != nil || v.Structure != nil {
		v.DerivedFields = append(v.DerivedFields, "project", "structure")
	}
	return v
}

func TestParseGivesBackWhatNewWasGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope, fingerprint, updated := drawText(t, "scope"), drawText(t, "fingerprint"), drawText(t, "updated")
		d := drawDerived(t)
		text := contextfile.New(scope, fingerprint, updated, d)
		got, want := viewOf(t, text), wantView(d)
		want.Scope, want.Fingerprint, want.LastUpdated = read(scope), read(fingerprint), read(updated)
		want.Maintenance = got.Maintenance
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", diff, text)
		}
		if !bytes.HasSuffix(text, []byte("\n")) || strings.Contains(got.Maintenance, "\n") || got.Maintenance == "" {
			t.Errorf("no end of line, or no sentence of maintenance:\n%s", text)
		}
	})
}

// shuffle returns text, a file of New's, with its fields in another order,
// comments and empty lines between them, and other line ends.
func shuffle(t *rapid.T, text []byte) []byte {
	var fields []string
	for line := range strings.Lines(string(text)) {
		if line[0] == ' ' {
			fields[len(fields)-1] += line
			continue
		}
		fields = append(fields, line)
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	between := rapid.SampledFrom([]string{"", "# é \x01 comment\n", "\n", "\n# summary: no\n\n", "#\t\u2028\n"})
	var b strings.Builder
	if rapid.Bool().Draw(t, "mark") {
		b.WriteString("\uFEFF")
	}
	for _, field := range fields {
		b.WriteString(between.Draw(t, "between") + field)
	}
	b.WriteString(rapid.SampledFrom([]string{"", "# end\n", "...\n", "\n\n"}).Draw(t, "end"))
	if rapid.Bool().Draw(t, "CRLF") {
		return []byte(strings.ReplaceAll(b.String(), "\n", "\r\n"))
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func TestSetFingerprintChangesTwoLinesOfAnyFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := contextfile.New(drawText(t, "scope"), drawText(t, "old fingerprint"), drawText(t, "old updated"), drawDerived(t))
		if rapid.Bool().Draw(t, "shuffled") {
			before = shuffle(t, before)
		}
		fingerprint, updated := drawText(t, "fingerprint"), drawText(t, "updated")
		after, err := contextfile.SetFingerprint(before, fingerprint, updated)
		if err != nil {
			t.Fatalf("%v in:\n%q", err, before)
		}
		if err := checkEdit(before, after, read(fingerprint), read(updated)); err != nil {
			t.Error(err)
		}
	})
}

func TestSetDerivedMakesTheFileSayWhatItIsGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := contextfile.New("s", "f", "l", drawDerived(t))
		all := rapid.Bool().Draw(t, "all fields derived")
		if all {
			head, _, _ := bytes.Cut(before, []byte("derived_fields:"))
			before = append(head, "derived_fields: [summary, files, subdirectories, exports, project, structure]\n"...)
		}
		before = shuffle(t, before)
		was := viewOf(t, before)

		d := drawDerived(t)
		after, err := contextfile.SetDerived(before, d)
		if err != nil {
			t.Fatalf("%v in:\n%q", err, before)
		}
		if diff := cmp.Diff(wantRefreshed(was, wantView(d)), viewOf(t, after)); diff != "" {
			t.Errorf("%s\n%q\n%q", diff, before, after)
		}
		checkOtherLines(t, before, after)
		again, err := contextfile.SetDerived(after, d)
		if err != nil || !bytes.Equal(again, after) {
			t.Errorf("again: got %q, %v, want %q", again, err, after)
		}
	})
}

// wantRefreshed returns was with the fields of is that was calls derived.
func wantRefreshed(was, is view) view {
	for _, name := range was.DerivedFields {
		switch name {
		case "summary":
			was.Summary = is.Summary
		case "files":
			was.Files = is.Files
		case "exports":
			was.Exports = is.Exports
		case "subdirectories":
			was.Subdirectories = is.Subdirectories
		case "project":
			was.Project = is.Project
		case "structure":
			was.Structure = is.Structure
		}
	}
	return was
}

// checkOtherLines fails if comments, empty lines or fields that are not
// derivable differ, in bytes or order.
func checkOtherLines(t *rapid.T, before, after []byte) {
	t.Helper()
	if diff := cmp.Diff(otherLines(before), otherLines(after)); diff != "" {
		t.Errorf("%s\n%q\n%q", diff, before, after)
	}
}

func otherLines(text []byte) []string {
	var lines []string
	skip := false
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\uFEFF")) {
		if line[0] != ' ' {
			skip = false
			for _, name := range []string{"summary:", "files:", "subdirectories:", "exports:", "project:", "structure:"} {
				skip = skip || strings.HasPrefix(line, name)
			}
		}
		if !skip {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}
