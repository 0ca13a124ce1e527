package cache

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// longestName is what the usual file systems take for one name, in bytes.
const longestName = 255

func TestACacheMayHaveANameOfAnyLength(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	for length := 1; length <= longestName; length++ {
		if length > 8 && length < longestName-30 && length%16 > 0 {
			continue
		}
		if runtime.GOOS == "windows" && length > 100 {
			t.Skip("longer paths take a setting on Windows")
		}
		base := t.TempDir()
		name := strings.Repeat("x", length%2) + strings.Repeat("ä", length/2)
		path := filepath.Join(base, name)
		for _, docs := range [][]document.Document{oldDocuments, newDocuments} {
			if err := build(path, true, &faultyDisk{noExchange: length%3 == 0}, docs); err != nil {
				t.Fatalf("%d bytes: %v", length, err)
			}
		}
		if got := generation(snapshot(t, path), old, new); got != "new" {
			t.Errorf("%d bytes: the cache is %s, want new", length, got)
		}
		wantOnly(t, base, name)
	}
}

// Whatever a cache is called, what builds put beside it has names that the
// file system takes, and that are no other cache's.
func TestTheNamesBesideACacheAreShortAndItsOwn(t *testing.T) {
	const most = "123456789012" // replaced caches that readers have open at once
	taken := map[string]string{}
	for length := 1; length <= longestName; length++ {
		for _, letter := range []string{"x", "y"} {
			name := strings.Repeat(letter, length)
			at := target{path: filepath.Join("dir", name)}
			for _, beside := range []string{at.lock(), string(at.scaffold()), at.retired()} {
				if other, ok := taken[beside]; ok {
					t.Errorf("%s and %s both have %s", other, name, beside)
				}
				taken[beside] = name
				if filepath.Dir(beside) != "dir" || !strings.HasPrefix(filepath.Base(beside), ".") {
					t.Errorf("%s has %s, want a hidden name beside it", name, beside)
				}
			}
			if got := len(filepath.Base(at.retired()) + most); got > longestName {
				t.Errorf("a name of %d bytes has one of %d beside it", length, got)
			}
		}
	}
}

func TestANameThatTheSystemRefusesIsAnIOError(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(base, strings.Repeat("x", longestName+1)),
		filepath.Join(base, strings.Repeat("x", longestName+1), "cache"),
		filepath.Join(base, "nul\x00"),
		filepath.Join(file, "cache"),
		file,
	} {
		for _, replace := range []bool{false, true} {
			w, err := create(path, Options{Replace: replace}, unsyncedDisk{})
			if err == nil {
				w.Close()
				t.Errorf("%.40q: got success", path)
			} else if code := fault.CodeOf(err); code != fault.IO {
				t.Errorf("%.40q: got %v with code %v, want %v", path, err, code, fault.IO)
			}
		}
	}
	wantOnly(t, base, "file")
}

// A build replaces caches, whole or damaged, and nothing else that holds anything.
func TestOnlyACacheIsReplaced(t *testing.T) {
	tree := treeOf(t, oldDocuments)
	for name, change := range map[string]func(path string) error{
		"no manifest":                func(p string) error { return os.Remove(filepath.Join(p, manifestName)) },
		"no documents":               func(p string) error { return os.RemoveAll(filepath.Join(p, documentsName)) },
		"a file more":                func(p string) error { return os.WriteFile(filepath.Join(p, "notes.txt"), nil, 0o666) },
		"a directory more":           func(p string) error { return os.Mkdir(filepath.Join(p, "notes"), 0o777) },
		"a file among the documents": func(p string) error { return os.WriteFile(filepath.Join(p, documentsName, "notes.json"), nil, 0o666) },
		"a directory of documents":   func(p string) error { return os.Mkdir(filepath.Join(p, documentsName, "a6328afc76e9-x.json"), 0o777) },
	} {
		path := filepath.Join(t.TempDir(), "cache")
		restore(t, path, tree)
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, path)
		err := build(path, true, unsyncedDisk{}, newDocuments)
		if err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "is not a cache") {
			t.Errorf("%s: got %v, want %v", name, err, fault.IO)
		}
		if got := generation(snapshot(t, path), before, nil); got != "old" {
			t.Errorf("%s: it is %s, want it left alone", name, got)
		}
		wantOnly(t, filepath.Dir(path), "cache")
	}
}

func TestReplacingACacheThroughASymlinkKeepsTheLink(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	base := t.TempDir()
	real := filepath.Join(base, "real", "cache")
	link := filepath.Join(base, "link")
	restore(t, real, old)
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	if err := build(link, true, unsyncedDisk{}, newDocuments); err != nil {
		t.Fatal(err)
	}
	if got := generation(snapshot(t, real), old, new); got != "new" {
		t.Errorf("the cache is %s, want new", got)
	}
	if got, err := os.Readlink(link); got != real {
		t.Errorf("got a link to %q, %v, want %q", got, err, real)
	}
	wantOnly(t, base, "link", "real")
	wantOnly(t, filepath.Dir(real), "cache")
}

// Whoever puts something at the path while the build runs keeps it, unless it
// is a cache and the build is to replace caches.
func TestWhatComesToThePathDuringABuildIsKept(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	file := func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) }
	directory := func(path string) error { return os.MkdirAll(filepath.Join(path, "mine"), 0o777) }
	cache := func(path string) error { restore(t, path, old); return nil }
	nothing := func(string) error { return nil }
	for name, tc := range map[string]struct {
		come    func(path string) error
		replace bool
		kept    bool
	}{
		"file":                     {file, false, true},
		"file, replace":            {file, true, true},
		"directory":                {directory, false, true},
		"directory, replace":       {directory, true, true},
		"empty directory":          {func(path string) error { return os.Mkdir(path, 0o777) }, false, true},
		"empty directory, replace": {func(path string) error { return os.Mkdir(path, 0o777) }, true, false},
		"cache":                    {cache, false, true},
		"cache, replace":           {cache, true, false},
		"nothing, replace":         {nothing, true, false},
	} {
		path := filepath.Join(t.TempDir(), "cache")
		w, err := create(path, Options{Replace: tc.replace}, unsyncedDisk{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tc.come(path); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, path)
		var items []Item
		for _, doc := range newDocuments {
			item, err := w.Put(doc, termsOf(w, doc))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item)
		}
		err = seal(w, items)
		w.Close()
		if tc.kept && (err == nil || fault.CodeOf(err) != fault.IO) || !tc.kept && err != nil {
			t.Errorf("%s: got %v, want it kept: %v", name, err, tc.kept)
		}
		want := "new"
		if tc.kept {
			want = "old" // as it was
		}
		if got := generation(snapshot(t, path), before, new); got != want {
			t.Errorf("%s: it is %s, want %s", name, got, want)
		}
		wantOnly(t, filepath.Dir(path), "cache")
	}
}

// A cache that is to be replaced may be gone when the new one is whole.
func TestACacheThatGoesAwayDuringItsRebuildIsMadeAnew(t *testing.T) {
	old, new := treeOf(t, oldDocuments), treeOf(t, newDocuments)
	st := scene{replace: true}.set(t, old, new)
	gone := func(_ int, c call) fate {
		if c.name == "syncTree" {
			os.RemoveAll(st.path)
		}
		return fate{}
	}
	if err := st.build(&faultyDisk{fate: gone}); err != nil {
		t.Error(err)
	}
	if got := generation(snapshot(t, st.path), old, new); got != "new" {
		t.Errorf("the cache is %s, want new", got)
	}
	wantOnly(t, st.base, "cache")
}
