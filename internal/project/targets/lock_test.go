package targets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// A pin without a hash would accept anything that a server sends.
func TestALockPinsTheContentsOfEverySource(t *testing.T) {
	tree, digest := "h1:"+strings.Repeat("a", 43)+"=", strings.Repeat("0", 64)
	const unpinned = "a repository is pinned by its commit, and an archive by its sha256"
	for source, want := range map[string]string{
		"{archive: 'https://a/b.zip', sha256: '" + digest + "', tree: '" + tree + "'}":              "",
		"{archive: 'https://a/b.zip', tree: '" + tree + "'}":                                        unpinned,
		"{archive: 'https://a/b.zip', commit: '" + digest + "', tree: '" + tree + "'}":              unpinned,
		"{archive: 'https://a/b.zip', sha256: '" + digest[1:] + "', tree: '" + tree + "'}":          "SHA-256",
		"{archive: 'https://a/b.zip', sha256: '" + digest + "'}":                                    `"tree"`,
		"{git: 'https://a/b', ref: main, commit: '" + digest + "', tree: '" + tree + "'}":           "",
		"{git: 'https://a/b', ref: main, tree: '" + tree + "'}":                                     unpinned,
		"{git: 'https://a/b', ref: main, sha256: '" + digest + "', tree: '" + tree + "'}":           unpinned,
		"{git: 'https://a/b', ref: main, commit: '" + digest[:39] + "', tree: '" + tree + "'}":      "a commit",
		"{git: 'https://a/b', ref: main, commit: '" + digest + "', tree: 'h1:" + digest[:43] + "'}": "the hash of a tree",
	} {
		path := filepath.Join(t.TempDir(), "Contextfile.lock")
		if err := os.WriteFile(path, []byte("version: 1\nsources: ["+source+"]\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadLock(path)
		if (err == nil) != (want == "") || err != nil && (fault.CodeOf(err) != fault.ContextInvalid || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", source, err, want)
		}
	}
}
