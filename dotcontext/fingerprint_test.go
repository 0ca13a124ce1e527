package dotcontext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/dotcontext/contextfile"
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
		var files []file
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
				files = append(files, file{f.Name, f.Size, mtime})
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

func TestTheContentFingerprintLivesThroughCopiesAndSeesChanges(t *testing.T) {
	root := writeTree(t, map[string]string{"d/a.go": "package a\n", "d/b.go": "package a // b\n", "d/.context.yaml": "x"})
	dir := filepath.Join(root, "d")
	compute := func() string {
		t.Helper()
		files, err := filesIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := contentFingerprint(t.Context(), dir, files)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	// printf 'a.go:%s:10\nb.go:%s:15' with the two SHA-256, | sha256sum
	const want = "14784c9a"
	if got := compute(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	past := time.Unix(1_000_000_000, 0)
	if err := os.Chtimes(filepath.Join(dir, "a.go"), past, past); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".context.yaml"), "", "changed")
	if got := compute(); got != want {
		t.Errorf("after touch: got %s, want %s", got, want)
	}
	for name, change := range map[string]func(string) error{
		"other content of the same size": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "a.go"), []byte("package b\n"), 0o666)
		},
		"one more": func(dir string) error { return os.WriteFile(filepath.Join(dir, "c"), nil, 0o666) },
		"renamed":  func(dir string) error { return os.Rename(filepath.Join(dir, "a.go"), filepath.Join(dir, "z.go")) },
		"removed":  func(dir string) error { return os.Remove(filepath.Join(dir, "b.go")) },
	} {
		before := compute()
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		if compute() == before {
			t.Errorf("%s: not seen", name)
		}
	}
}

func TestNamesThatAreNotUTF8AreHashedToo(t *testing.T) {
	at := time.Unix(0, 0)
	one := statFingerprint([]file{{"a\xff", 1, at}})
	if two := statFingerprint([]file{{"a\xff", 2, at}}); one == two {
		t.Error("a change was not seen")
	}
	if want := statFingerprint([]file{{"a\uFFFD", 1, at}}); one != want {
		t.Errorf("got %s, want %s", one, want)
	}
	if strings.ContainsRune(one, 'x') {
		t.Errorf("got %q", one)
	}
}
