package dotcontext

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writeTree writes files by their slash path below a new directory, and
// returns that. A path that ends in a slash is a directory.
func writeTree(t testing.TB, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, name), name, text)
	}
	return root
}

func write(t testing.TB, at, name, text string) {
	t.Helper()
	dir := filepath.Dir(at)
	if strings.HasSuffix(name, "/") {
		dir = at
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if dir == at {
		return
	}
	if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// symlink makes a symlink, or skips the test.
func symlink(t testing.TB, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Skip("no symlinks here: ", err)
	}
}

func open(t testing.TB, path string) *Project {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// scanned returns the scopes that a scan keeps, and how many it skips.
func scanned(t testing.TB, root string) (kept []string, skipped int, warnings []string) {
	t.Helper()
	s, err := open(t, root).scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.where(func(d *projectDir) bool { return d.kept }) {
		kept = append(kept, d.scope)
	}
	return kept, len(s.skipped()), s.allWarnings()
}

// vectors are the recorded cases of scans.
type vectors struct {
	FileNames map[string]bool `json:"filenames"`
	DirNames  map[string]bool `json:"dirnames"`
	MinTokens map[string]struct {
		Kept    []string `json:"kept"`
		Skipped int      `json:"skipped"`
	} `json:"min_tokens"`
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/scan.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil || len(v.FileNames) < 100 || len(v.DirNames) < 40 || len(v.MinTokens) < 7 {
		t.Fatalf("no vectors: %v", err)
	}
	return v
}

func TestRecordedFileNamesAreSourcesOrNot(t *testing.T) {
	for name, want := range readVectors(t).FileNames {
		if got := isSource(name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

func TestRecordedDirectoriesAreEnteredOrNot(t *testing.T) {
	for name, want := range readVectors(t).DirNames {
		root := writeTree(t, map[string]string{
			".context.config.yaml": "min_tokens: 0\n",
			name + "/a.ts":         "x",
		})
		kept, _, _ := scanned(t, root)
		if got := slices.Contains(kept, name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}

// sizedTree is a tree for the recorded cases. The names of its directories describe
// them.
func sizedTree(t *testing.T) (root string) {
	bytes := func(n int) string { return strings.Repeat("x", n) }
	root = writeTree(t, map[string]string{
		"bigparent/a.ts":         bytes(40_000),
		"bigparent/tiny/a.ts":    bytes(5),
		"ctxonly/.context.yaml":  bytes(40_000),
		"ctxonly/a.ts":           bytes(5),
		"e16380/a.ts":            bytes(16_380),
		"e16381/a.ts":            bytes(16_381),
		"e16384/a.ts":            bytes(16_384),
		"link/a.ts":              bytes(5),
		"lock/package-lock.json": bytes(40_000),
		"nested/deep/big/a.ts":   bytes(40_000),
		"nested/deep/small/a.ts": bytes(5),
		"nonsrc/a.bin":           bytes(40_000),
		"nonsrc/a.ts":            bytes(5),
		"small/a.ts":             bytes(5),
		"small/tiny/a.ts":        bytes(5),
		"split/a/a.ts":           bytes(10_000),
		"split/b/a.ts":           bytes(10_000),
		"sum/a.ts":               bytes(8_192),
		"sum/b.ts":               bytes(8_192),
		"sumceil/a.ts":           bytes(8_190),
		"sumceil/b.ts":           bytes(8_191),
		"none/a.bin":             bytes(40_000),
	})
	symlink(t, "../bigparent/a.ts", filepath.Join(root, "link/b.ts"))
	return root
}

func TestMinTokensKeepsWhatIsRecorded(t *testing.T) {
	root := sizedTree(t)
	for minTokens, want := range readVectors(t).MinTokens {
		config := filepath.Join(root, ".context.config.yaml")
		os.Remove(config)
		if minTokens != "undefined" {
			write(t, config, "", "min_tokens: "+minTokens+"\n")
		}
		kept, skipped, _ := scanned(t, root)
		slices.Sort(want.Kept)
		if !slices.Equal(kept, want.Kept) || skipped != want.Skipped {
			t.Errorf("min_tokens %s: got %d skipped and\n%v, want %d and\n%v", minTokens, skipped, kept, want.Skipped, want.Kept)
		}
	}
}

func TestMaxDepthIsIncluded(t *testing.T) {
	for _, c := range []struct {
		config string
		depth  int // of the deepest directory that a file is seen in
	}{
		{"min_tokens: 0\n", 10},
		{"min_tokens: 0\nmax_depth: 3\n", 3},
		{"min_tokens: 0\nmax_depth: 0\n", 0},
	} {
		files := map[string]string{".context.config.yaml": c.config}
		dir := ""
		for i := 1; i <= 12; i++ {
			dir += "d" + strconv.Itoa(i) + "/"
			files[dir+"a.ts"] = "x"
		}
		kept, _, _ := scanned(t, writeTree(t, files))
		if got := len(kept) - 1; got != c.depth { // the root is one more
			t.Errorf("%q: got %d levels, want %d", c.config, got, c.depth)
		}
	}
}

func TestIgnoredDirectoriesAndFilesDoNotCount(t *testing.T) {
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\nignore: [\"by-config/\"]\n",
		".gitignore":           "by-git/\n*.gen.ts\n",
		".contextignore":       "by-context/\n!kept.gen.ts\n",
		"by-config/a.ts":       "x",
		"by-git/a.ts":          "x",
		"by-context/a.ts":      "x",
		"generated/a.gen.ts":   "x",
		"again/kept.gen.ts":    "x",
		"nested/.gitignore":    "/inner/\n",
		"nested/inner/a.ts":    "x",
		"nested/a.ts":          "x",
		"other/inner/a.ts":     "x",
		"other/.contextignore": "inner/\n", // counts at the root alone
	})
	kept, _, warnings := scanned(t, root)
	want := []string{".", "again", "nested", "other", "other/inner"}
	if !slices.Equal(kept, want) || len(warnings) > 0 {
		t.Errorf("got %v and %q, want %v", kept, warnings, want)
	}
}

func TestWhatCannotBeReadCostsNothingElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has neither such names nor such permissions")
	}
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\n",
		"a/a.ts":               "x",
		"b/a.ts":               "x",
		"b/c/a.ts":             "x",
		"d\xff/a.ts":           "x",
		`e\f/a.ts`:             "x",
	})
	locked := filepath.Join(root, "b")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(locked, 0o777) })
	want := []string{".", "a", "b"}
	expected := []string{`"d\xff": its name is not UTF-8`, `"e\\f": its name is not UTF-8 or contains a backslash`, "b: permission denied"}
	if _, err := os.ReadDir(locked); err == nil { // permissions do not hold for root
		want = append(want, "b/c")
		expected = expected[:2]
	}
	kept, _, warnings := scanned(t, root)
	if !slices.Equal(kept, want) || len(warnings) != len(expected) {
		t.Fatalf("got %v and %q, want %v and %q", kept, warnings, want, expected)
	}
	for i, warning := range warnings {
		if !strings.HasPrefix(warning, expected[i]) {
			t.Errorf("got %q, want %q", warning, expected[i])
		}
	}
}

func TestABrokenConfigIsAWarningAndWhatIsRightCounts(t *testing.T) {
	root := writeTree(t, map[string]string{
		".context.config.yaml": "min_tokens: 0\nmax_depth: deep\n",
		"a/a.ts":               "x",
	})
	kept, _, warnings := scanned(t, root)
	if !slices.Equal(kept, []string{".", "a"}) {
		t.Errorf("got %v", kept)
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], ".context.config.yaml: line 2: max_depth: ") {
		t.Errorf("got %q", warnings)
	}
}

func TestNoProjectIsAnError(t *testing.T) {
	root := writeTree(t, map[string]string{"file": "x"})
	for _, name := range []string{"none", "file"} {
		if p, err := Open(filepath.Join(root, name)); err == nil {
			p.Close()
			t.Errorf("%s: opened", name)
		}
	}
}
