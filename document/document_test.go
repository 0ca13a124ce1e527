package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
)

func TestIDIsTheLowerCasedSlashPath(t *testing.T) {
	for _, tc := range []struct {
		path string
		want document.ID
	}{
		{"README.md", "readme.md"},
		{"Guide/Installation.md", "guide/installation.md"},
		{`guide\install.md`, "guide/install.md"},
		{"./a.md", "a.md"},
		{`.\.\a.md`, "a.md"},
		{"../a.md", "../a.md"},
		{".hidden/a.md", ".hidden/a.md"},
		{"ÄÖÜ/Ñ.md", "äöü/ñ.md"},
		{"İ.md", "i̇.md"},
		{"ΟΔΟΣ", "οδος"},
		{"ΟΔΟΣ.md", "οδοσ.md"}, // a full stop can be inside a word
		{"日本語.md", "日本語.md"},
	} {
		if got := document.IDOf(tc.path); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.path, got, tc.want)
		}
	}
}

func FuzzIDOfIsIdempotent(f *testing.F) {
	for _, path := range []string{"README.md", `.\./\A.md`, "ΣΑΣ/Σ", "İ", "\xff.md", "././"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		id := document.IDOf(path)
		if again := document.IDOf(string(id)); again != id {
			t.Errorf("%q: got ID %q, whose ID is %q", path, id, again)
		}
		if strings.Contains(string(id), `\`) || strings.HasPrefix(string(id), "./") {
			t.Errorf("%q: got %q, which is not normal", path, id)
		}
	})
}

func TestAnIDIsValidIfAPathMakesIt(t *testing.T) {
	for _, id := range []document.ID{"a.md", "guide/a.md", ".hidden/a.md", "..a/b..md", "a b/日本語.md", "οδοσ.md", "a"} {
		if !id.IsValid() {
			t.Errorf("%q is not valid, want it to be", id)
		}
	}
	for _, id := range []document.ID{
		"", ".", "..", "/", "/etc/x.md", "../../etc/x.md", "a/../b.md", "a/./b.md", "a//b.md", "./a.md", "a/",
		`a\b.md`, `\a.md`, "A.md", "ΟΔΟΣ.md", "a\x00.md",
	} {
		if id.IsValid() {
			t.Errorf("%q is valid, want it not to be", id)
		}
	}
}

const emptyVersion = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestVersionIsTheHashOfTheContent(t *testing.T) {
	v := document.VersionOf(nil)
	if got := v.String(); got != emptyVersion {
		t.Errorf("got %s, want %s", got, emptyVersion)
	}
	if got, want := v.Stem(), "e3b0c44298fc"; got != want {
		t.Errorf("got stem %s, want %s", got, want)
	}
	if got, err := document.ParseVersion(emptyVersion); err != nil || got != v {
		t.Errorf("got %v, %v, want %v", got, err, v)
	}
}

func TestParseVersionRefusesEveryOtherSpelling(t *testing.T) {
	for _, s := range []string{
		"", "sha256:", emptyVersion[len("sha256:"):], strings.ToUpper(emptyVersion),
		strings.Replace(emptyVersion, "e", "E", 1), emptyVersion + "0", emptyVersion[:len(emptyVersion)-1],
		strings.Replace(emptyVersion, "sha256", "sha512", 1), emptyVersion[:len(emptyVersion)-1] + "g",
		" " + emptyVersion,
	} {
		if v, err := document.ParseVersion(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, v)
		}
	}
}

func TestMetadataKeysAreSortedByBytes(t *testing.T) {
	m := document.Metadata{"b": document.Text(""), "B": document.Number(1), "a.b": document.Text(""), "é": document.Text("")}
	if got, want := m.Keys(), []string{"B", "a.b", "b", "é"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAValueIsTextOrANumber(t *testing.T) {
	if n, ok := document.Number(-7).Number(); !ok || n != -7 || document.Number(-7).String() != "-7" {
		t.Errorf("Number(-7): got %d, %v", n, ok)
	}
	if _, ok := document.Text("7").Number(); ok {
		t.Error(`Text("7") is a number`)
	}
}
