package describe

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestShortenCutsWhereALanguageAllows(t *testing.T) {
	for _, test := range []struct {
		line  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"A sentence of thirty characters. And another one", 40, "A sentence of thirty characters."},
		{"A sentence of thirty characters. And another one", 32, "A sentence of thirty characters."},
		{"A sentence of thirty characters. And another one", 31, "A sentence of thirty…"},
		{"It says (it does, or it did so once.) And more", 40, "It says (it does, or it did so once.)"},
		{"Hello! This is a long text, of many words", 30, "Hello! This is a long text…"},
		{"Something that mends things, e.g. Those of A. Nobody too", 45, "Something that mends things, e.g. Those of…"},
		{"Something that mends node.js and others. it goes on", 45, "Something that mends node.js and others. it…"},
		{"这是一个修理工具这是一个修理工具这是一个修理工具这是一个修。这是一个", 32, "这是一个修理工具这是一个修理工具这是一个修理工具这是一个修。"},
		{"这是一个修理工具，这是", 10, "这是一个修理工具…"},
		{"abcdefghij", 5, "abcd…"},
		{"abce\u0301fghij", 6, "abce\u0301f"[:3] + "e\u0301…"},
		{"abce\u0301fghij", 5, "abc…"},
	} {
		if got := shorten(test.line, test.limit); got != test.want {
			t.Errorf("%q at %d: got %q, want %q", test.line, test.limit, got, test.want)
		}
	}
}

func TestLongParagraphEndsWithItsLastWholeSentence(t *testing.T) {
	got := summaryOf(t, "README.md", strings.Repeat("Tool mends things of e.g. Iron. ", 20))
	if want := strings.TrimSpace(strings.Repeat("Tool mends things of e.g. Iron. ", 9)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// broken is a file system of which each file fails in its own way.
type broken struct{ fs.FS }

func (broken) Open(name string) (fs.File, error) {
	if name == "README.md" {
		panic(name)
	}
	return nil, errors.New(name)
}

func TestFilesThatCannotBeReadArePassedOver(t *testing.T) {
	names := []string{"README.md", "a.go", "package.json"}
	if got, want := Summary(broken{}, ".", names), "Go source (1 file), 1 JSON and 1 Markdown file."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := Project{Language: "Go", PackageManager: "npm"}
	if got := ProjectOf(broken{}, names, map[string]int64{".go": 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestReadersSeeWholeFilesOrNone(t *testing.T) {
	fsys := fstest.MapFS{"a": {Data: make([]byte, maxFile)}, "b": {Data: make([]byte, maxFile+1)}}
	if got := len(readWhole(fsys, "a")); got != maxFile {
		t.Errorf("got %d bytes, want %d", got, maxFile)
	}
	if got := len(readWhole(fsys, "b")); got != 0 {
		t.Errorf("got %d bytes, want none", got)
	}
}
