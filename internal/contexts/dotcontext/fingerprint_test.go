package dotcontext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

func TestRecordedListingsHaveTheirFingerprints(t *testing.T) {
	var cases []struct {
		Name        string
		Fingerprint string
		Files       []struct {
			Name    string
			MtimeNS string `json:"mtime_ns"`
			Size    int64
		}
	}
	text, err := os.ReadFile("testdata/fingerprint.json")
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) < 20 {
		t.Fatalf("got %d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		var files []fileState
		for _, f := range c.Files {
			ns, err := strconv.ParseInt(f.MtimeNS, 10, 64)
			if err != nil { // later than 2262
				ns = 0
			}
			mtime := time.Unix(0, ns)
			if err != nil {
				sec, _ := strconv.ParseInt(f.MtimeNS[:len(f.MtimeNS)-9], 10, 64)
				nsec, _ := strconv.ParseInt(f.MtimeNS[len(f.MtimeNS)-9:], 10, 64)
				mtime = time.Unix(sec, nsec)
			}
			if f.Name != contextfile.Name {
				files = append(files, fileState{name: f.Name, size: f.Size, mtime: mtime})
			}
		}
		if got := statFingerprint(files); got != c.Fingerprint {
			t.Errorf("%s: got %s, want %s", c.Name, got, c.Fingerprint)
		}
	}
}

func TestLinesAreComparedByUTF16(t *testing.T) {
	alphabet := rapid.StringOf(rapid.RuneFrom([]rune("a!é日\uffff\ue000\U00010000\U0001F600\U0010FFFF")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := alphabet.Draw(t, "a"), alphabet.Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := compareUTF16(a, b); got != want {
			t.Errorf("%q and %q: got %d, want %d", a, b, got, want)
		}
	})
}

// contentOf returns the fingerprint of the contents of the directory d below root.
func contentOf(t *testing.T, root string) string {
	t.Helper()
	p := open(t, root)
	d, err := p.directoryAt("d")
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.contentOf(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTheContentFingerprintLivesThroughCopiesAndSeesChanges(t *testing.T) {
	// printf 'a.go:%s:10\nb.go:%s:15' with the two SHA-256, | sha256sum
	const want = "14784c9a"
	past := time.Unix(1_000_000_000, 0)
	for _, c := range []struct {
		name   string
		change func(dir string) error
		same   bool
	}{
		{"nothing", func(string) error { return nil }, true},
		{"touch", func(dir string) error { return os.Chtimes(filepath.Join(dir, "a.go"), past, past) }, true},
		{"another context", func(dir string) error { return os.WriteFile(filepath.Join(dir, ".context.yaml"), nil, 0o666) }, true},
		{"other content of the same size", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.go"), []byte("package b\n"), 0o666)
		}, false},
		{"one more that git ignores", func(dir string) error { return os.WriteFile(filepath.Join(dir, ".env"), nil, 0o666) }, true},
		{"one more that this clone ignores", func(dir string) error { return os.WriteFile(filepath.Join(dir, "notes"), nil, 0o666) }, true},
		{"one more that git ignores elsewhere", func(dir string) error { return os.WriteFile(filepath.Join(dir, "e"), nil, 0o666) }, false},
		{"one more", func(dir string) error { return os.WriteFile(filepath.Join(dir, "c"), nil, 0o666) }, false},
		{"renamed", func(dir string) error { return os.Rename(filepath.Join(dir, "a.go"), filepath.Join(dir, "z.go")) }, false},
		{"removed", func(dir string) error { return os.Remove(filepath.Join(dir, "b.go")) }, false},
	} {
		root := writeTree(t, map[string]string{
			"d/a.go": "package a\n", "d/b.go": "package a // b\n", "d/.context.yaml": "x",
			".gitignore": ".env\n", "e/.gitignore": "e\n", ".git/info/exclude": "/d/notes\n",
		})
		if err := c.change(filepath.Join(root, "d")); err != nil {
			t.Fatal(err)
		}
		if got := contentOf(t, root); (got == want) != c.same {
			t.Errorf("%s: got %s, which is %s or should be", c.name, got, want)
		}
	}
}

func TestAFileThatBecomesASymlinkIsNotFollowedOut(t *testing.T) {
	root := writeTree(t, map[string]string{"d/a.go": "package a\n", "secret": "x"})
	outside := writeTree(t, map[string]string{"a.go": "package a\n"})
	p := open(t, root)
	d, err := p.directoryAt("d")
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(root, "d/a.go")
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	symlink(t, filepath.Join(outside, "a.go"), at)
	if got, err := p.contentOf(t.Context(), d); err == nil {
		t.Errorf("got %s", got)
	}
}

func TestNamesThatAreNotUTF8AreHashedToo(t *testing.T) {
	at := time.Unix(0, 0)
	one := statFingerprint([]fileState{{name: "a\xff", size: 1, mtime: at}})
	if two := statFingerprint([]fileState{{name: "a\xff", size: 2, mtime: at}}); one == two {
		t.Error("a change was not seen")
	}
	if want := statFingerprint([]fileState{{name: "a\uFFFD", size: 1, mtime: at}}); one != want {
		t.Errorf("got %s, want %s", one, want)
	}
	if !wellFormedFingerprint().MatchString(one) {
		t.Errorf("got %q", one)
	}
}
