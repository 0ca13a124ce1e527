package describe

import (
	"bytes"
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
		{"It mends all the things of the U.S. Army. And another one", 38, "It mends all the things of the U.S.…"},
		{"It mends all the things of the U.S. Army. And another one", 44, "It mends all the things of the U.S. Army."},
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
	got := summaryOf(t, "lib.rs", "//! "+strings.Repeat("Tool mends things of e.g. Iron. ", 20))
	if want := strings.TrimSpace(strings.Repeat("Tool mends things of e.g. Iron. ", 9)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// broken is a file system that cannot be read.
type broken struct{ fs.FS }

func (broken) Open(name string) (fs.File, error) { return nil, errors.New(name) }

func TestAFileThatCannotBeReadIsAnError(t *testing.T) {
	for _, name := range []string{"README.md", "a.go", "a.md", "package.json"} {
		if _, err := Directory(broken{}, "a", []string{name}); err == nil || err.Error() != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := ProjectOf(broken{}, []string{"package.json"}, nil); err == nil {
		t.Error("got a project without its manifest")
	}
	if _, err := Directory(fstest.MapFS{}, "a", []string{"README.md", "a.go"}); err != nil {
		t.Errorf("got %v for files that are gone", err)
	}
}

func TestReadersSeeWholeFilesOrNone(t *testing.T) {
	r := dirReader{fsys: fstest.MapFS{"a": {Data: bytes.Repeat([]byte("a"), maxManifest)}, "b": {Data: bytes.Repeat([]byte("a"), maxManifest+1)}}}
	if got := len(r.whole("a")); got != maxManifest {
		t.Errorf("got %d bytes, want %d", got, maxManifest)
	}
	if got := len(r.whole("b")); got != 0 {
		t.Errorf("got %d bytes, want none", got)
	}
}
