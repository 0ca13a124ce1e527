package replace

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/fault"
)

// longestName is the maximum length of a name on the usual file systems, in bytes.
const longestName = 255

func TestADirectoryMayHaveANameOfAnyLength(t *testing.T) {
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
		for _, tr := range []tree{oldTree, newTree} {
			if err := put(path, true, &faultyDisk{noExchange: length%3 == 0}, tr); err != nil {
				t.Fatalf("%d bytes: %v", length, err)
			}
		}
		wantGeneration(t, path, "new")
		wantOnly(t, base, name)
	}
}

// The names next to a directory are short enough for the file system, and no other
// directory uses them.
func TestTheNamesBesideADirectoryAreShortAndItsOwn(t *testing.T) {
	const most = "123456789012" // replaced directories that readers keep open at once
	taken := map[string]string{}
	for length := 1; length <= longestName; length++ {
		for _, letter := range []string{"x", "y"} {
			name := strings.Repeat(letter, length)
			s := Staging{path: filepath.Join("dir", name)}
			for _, beside := range []string{s.lockPath(), string(s.newScaffold()), s.retired()} {
				if other, ok := taken[beside]; ok {
					t.Errorf("%s and %s both have %s", other, name, beside)
				}
				taken[beside] = name
				if filepath.Dir(beside) != "dir" || !IsTransient(filepath.Base(beside)) {
					t.Errorf("%s has %s, want a hidden name beside it", name, beside)
				}
			}
			if got := len(filepath.Base(s.retired()) + most); got > longestName {
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
		filepath.Join(base, strings.Repeat("x", longestName+1), "name"),
		filepath.Join(base, "nul\x00"),
		filepath.Join(file, "name"),
		file,
	} {
		for _, replace := range []bool{false, true} {
			s, err := begin(path, replace, &faultyDisk{})
			if err == nil {
				s.Close()
				t.Errorf("%.40q: got success", path)
			} else if code := fault.CodeOf(err); code != fault.IO {
				t.Errorf("%.40q: got %v with code %v, want %v", path, err, code, fault.IO)
			}
		}
	}
	wantOnly(t, base, "file")
}

func TestReplacingThroughASymlinkKeepsTheLink(t *testing.T) {
	base := t.TempDir()
	real := filepath.Join(base, "real", "name")
	link := filepath.Join(base, "link")
	restore(t, real, oldTree)
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symlinks here: ", err)
	}
	if err := put(link, true, &faultyDisk{}, newTree); err != nil {
		t.Fatal(err)
	}
	wantGeneration(t, real, "new")
	if got, err := os.Readlink(link); got != real {
		t.Errorf("got a link to %q, %v, want %q", got, err, real)
	}
	wantOnly(t, base, "link", "real")
	wantOnly(t, filepath.Dir(real), "name")
}

// Another program puts something at the path between Begin and Commit. It stays there
// unless Admit allows replacing it.
func TestWhatComesToThePathMeanwhileIsKept(t *testing.T) {
	file := func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) }
	directory := func(path string) error { return os.MkdirAll(filepath.Join(path, "mine"), 0o777) }
	empty := func(path string) error { return os.Mkdir(path, 0o777) }
	old := func(path string) error { restore(t, path, oldTree); return nil }
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
		"empty directory":          {empty, false, true},
		"empty directory, replace": {empty, true, false},
		"old":                      {old, false, true},
		"old, replace":             {old, true, false},
		"nothing, replace":         {nothing, true, false},
	} {
		path := filepath.Join(t.TempDir(), "name")
		s, err := begin(path, tc.replace, &faultyDisk{})
		if err != nil {
			t.Fatal(err)
		}
		if err := fill(s, newTree); err != nil {
			t.Fatal(err)
		}
		if err := tc.come(path); err != nil {
			t.Fatal(err)
		}
		want := "new"
		if tc.kept {
			want = generation(t, path)
		}
		err = s.Commit()
		s.Close()
		if tc.kept && (err == nil || fault.CodeOf(err) != fault.IO) || !tc.kept && err != nil {
			t.Errorf("%s: got %v, want it kept: %v", name, err, tc.kept)
		}
		if got := generation(t, path); got != want {
			t.Errorf("%s: it is %s, want %s", name, got, want)
		}
		wantOnly(t, filepath.Dir(path), "name")
	}
}

func TestADirectoryThatGoesAwayMeanwhileIsMadeAgain(t *testing.T) {
	st := scene{replace: true}.set(t)
	gone := func(_ int, c call) fate {
		if c.name == "syncTree" {
			os.RemoveAll(st.path)
		}
		return fate{}
	}
	if err := st.put(&faultyDisk{fate: gone}); err != nil {
		t.Error(err)
	}
	wantGeneration(t, st.path, "new")
	wantOnly(t, st.base, "name")
}

// A file of the old directory is kept only if it is indistinguishable from a new file.
func TestKeepLinksOnlyAFileThatLooksNew(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"":                func(string) error { return nil },
		"another mode":    func(file string) error { return os.Chmod(file, 0o600) },
		"a symlink":       func(file string) error { return replaceBySymlink(file) },
		"another program": func(file string) error { return os.Chtimes(file, longAgo, longAgo) },
	} {
		if runtime.GOOS == "windows" && name != "" {
			continue
		}
		st := scene{replace: true}.set(t)
		file := filepath.Join(st.path, "deep", "same")
		found, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := change(file); err != nil {
			t.Fatal(err)
		}
		s, err := begin(st.path, true, &faultyDisk{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Mkdir("deep"); err != nil {
			t.Fatal(err)
		}
		if kept := s.Keep(file, found.ModTime(), "deep/same"); kept != (name == "") {
			t.Errorf("%q: kept: %v", name, kept)
		}
		s.Close()
	}
}

var longAgo = time.Unix(1, 0)

func replaceBySymlink(file string) error {
	return errors.Join(os.Rename(file, file+"-moved"), os.Symlink(filepath.Base(file)+"-moved", file))
}
