package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// hostileCache makes a cache at path. Its only document claims to be in file; everything
// else is sound.
func hostileCache(t *testing.T, path, file string) {
	t.Helper()
	docs := documentsOf("bait\n", "bait.md")
	restore(t, path, treeOf(t, docs))
	m := manifestOf(docs)
	m.Documents[0].File = file
	for name, data := range map[string][]byte{ManifestPath: m.encode(), fileListName: m.encodeFileList()} {
		if err := os.WriteFile(filepath.Join(path, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A path in a manifest must consist of documents/ and a plain name that begins with the
// stem of the version. Any other path makes the cache invalid. Nothing may be opened
// there, although the test puts a copy of the document wherever the path could lead.
func TestAFileNameThatLeadsOutMakesTheCacheInvalid(t *testing.T) {
	docs := documentsOf("bait\n", "bait.md")
	stem := docs[0].Version.Stem()
	base := t.TempDir()
	outside := filepath.Join(base, "outside")
	baits := []string{
		filepath.Join(outside, "x"), filepath.Join(outside, stem+".json"), filepath.Join(base, "cache", "x"),
		filepath.Join(base, "cache", DocumentsDir, "x"), filepath.Join(base, "cache", DocumentsDir, stem, "x"),
		filepath.Join(base, "x"),
	}
	if err := os.MkdirAll(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	opened := watchOpens(t, outside)
	names := []string{
		"../x", "../../x", "../../outside/x", "../../outside/" + stem + ".json", "/etc/passwd", filepath.Join(outside, "x"),
		"a/b", "..", ".", "", "x", stem + "/x", stem + "/../x", stem + "/../../../outside/x", stem + `\x`, stem + `\..\x`,
		`..\x`, `C:\x`, `C:x`, `\\server\share\x`, `//server/share/x`, "NUL", "CON", stem[:11] + "-.json", strings.ToUpper(stem) + ".json",
		" " + stem + ".json", "./" + stem + ".json", stem + ".json\x00", stem + "\x00.json", "\x00", stem + ".json/", stem + ".json/.",
	}
	files := []string{
		stem + ".json", "documents", "documents/", "documents//" + stem + ".json", "./documents/" + stem + ".json",
		"Documents/" + stem + ".json", "x/documents/" + stem + ".json", "/documents/" + stem + ".json", `documents\` + stem + ".json",
	}
	for _, name := range names {
		files = append(files, name, DocumentsDir+"/"+name)
	}
	for _, file := range files {
		path := filepath.Join(base, "cache")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		hostileCache(t, path, file)
		for _, bait := range baits {
			os.MkdirAll(filepath.Dir(bait), 0o777)
			if err := os.WriteFile(bait, encodedDocument(docs[0]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before := opened()
		wantRefused(t, path, file)
		if n := opened() - before; n > 0 {
			t.Errorf("%q: %d files were opened outside", file, n)
		}
	}
}

// wantRefused fails the test unless all ways to read the cache at path call it invalid.
func wantRefused(t *testing.T, path, file string) {
	t.Helper()
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Manifest(); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("%q: Manifest: got %v, want %v", file, err, fault.CacheInvalid)
	}
	wantUnreadable(t, c, file)
}

func wantUnreadable(t *testing.T, c *Files, file string) {
	t.Helper()
	entry := manifestIn(t, c).Documents[0]
	if entry.File != file {
		t.Fatalf("got file %q, want %q", entry.File, file)
	}
	if doc, err := c.NewReader().Read(entry); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("%.40q: Read: got %q, %.80v, want %v", file, doc.Content, err, fault.CacheInvalid)
	}
	if _, _, finding, err := c.NewReader().Check(entry); finding == nil || err != nil {
		t.Errorf("%.40q: Check: got %v, %.80v, want a finding", file, finding, err)
	}
	if size, err := c.FileSize(entry); size != 0 || err != nil {
		t.Errorf("%.40q: got size %d, want 0", file, size)
	}
}

// If a name matches the version but the system rejects it, the file is missing. It is
// not an I/O error, because such a file cannot exist.
func TestAFileNameThatNoFileCanHaveMakesTheCacheInvalid(t *testing.T) {
	stem := documentsOf("bait\n", "bait.md")[0].Version.Stem()
	names := []string{stem + strings.Repeat("x", 300), stem + strings.Repeat("x", 5000)}
	if runtime.GOOS == "windows" {
		names = append(names, stem+"?", stem+"*", stem+"|", stem+":stream", stem+`"`, stem+"<>", stem+"\x01")
	}
	for _, name := range names {
		file := DocumentsDir + "/" + name
		path := filepath.Join(t.TempDir(), "cache")
		hostileCache(t, path, file)
		c, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		wantUnreadable(t, c, file)
		c.Close()
	}
}

// A name can be odd as long as it is plain, because other programs may use such names.
func TestAnOddNameThatFitsTheVersionIsRead(t *testing.T) {
	docs := documentsOf("bait\n", "bait.md")
	stem := docs[0].Version.Stem()
	for _, name := range []string{stem, stem + ".json", stem + ".JSON", stem + "..", stem + "-ä 日.json", stem + stem} {
		if runtime.GOOS == "windows" && strings.HasSuffix(name, ".") {
			continue // Windows drops dots at the end
		}
		path := filepath.Join(t.TempDir(), "cache")
		hostileCache(t, path, DocumentsDir+"/"+name)
		os.Remove(filepath.Join(path, DocumentsDir, stem+".json"))
		if err := os.WriteFile(filepath.Join(path, DocumentsDir, name), encodedDocument(docs[0]), 0o666); err != nil {
			t.Skipf("%q: no file may be called so here: %v", name, err)
		}
		c, err := Open(path)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if doc, err := c.NewReader().Read(manifestIn(t, c).Documents[0]); err != nil || string(doc.Content) != "bait\n" {
			t.Errorf("%q: got %q, %v", name, doc.Content, err)
		}
		if findings, err := c.CheckFiles(slices.Values(manifestIn(t, c).Documents)); len(findings) > 0 || err != nil {
			t.Errorf("%q: got %v, %v, want no findings", name, findings, err)
		}
		c.Close()
	}
}

// OpenIn never opens anything outside the directory, regardless of names and symlinks.
func TestOpenInLooksNowhereElse(t *testing.T) {
	base := t.TempDir()
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	tree := treeOf(t, oldDocuments)
	for _, path := range []string{filepath.Join(inside, "deep", "cache"), outside} {
		restore(t, path, tree)
	}
	symlinks := map[string]string{
		"absolute": outside, "relative": "../out", "of parent": "..", "of root": "/", "inner": "deep/cache", "twice": "relative",
		"deep/up": "../../out", "deep/loop": "loop", "absolute inner": filepath.Join(inside, "deep", "cache"),
	}
	for name, target := range symlinks {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(inside, filepath.FromSlash(name))); err != nil {
			t.Skip("no symlinks here: ", err)
		}
	}
	dir, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for _, path := range []string{"deep/cache", "inner", "./deep/./cache", "deep/../deep/cache"} {
		c, err := OpenIn(dir, path)
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		c.Close()
	}
	opened := watchOpens(t, outside)
	before := opened()
	for _, path := range []string{
		"../out", "..", "../in/deep/cache", "deep/../../out", "/", outside, filepath.Join(inside, "deep", "cache"), "", "nothing",
		"absolute", "relative", "of parent", "of parent/out", "of root", "of root" + filepath.ToSlash(outside), "twice", "deep/up",
		"deep/loop", "absolute inner", "deep/cache/manifest.json", "deep/cache/manifest.json/x", "deep\x00/cache", "\x00",
		"inner/../../../out", strings.Repeat("x", 300), strings.Repeat("x/", 3000), strings.Repeat("deep/../", 300) + "../out",
	} {
		c, err := OpenIn(dir, path)
		if err == nil {
			c.Close()
		}
		if err == nil || fault.CodeOf(err) != fault.CacheMissing {
			t.Errorf("%.40q: got %v, want %v", path, err, fault.CacheMissing)
		}
	}
	if n := opened() - before; n > 0 {
		t.Errorf("%d files were opened outside", n)
	}
}

func TestContentThatIsTooLargeIsRefused(t *testing.T) {
	for size, want := range map[int]error{document.MaxSize: nil, document.MaxSize + 1: files.ErrTooLarge} {
		content := bytes.Repeat([]byte("a"), size)
		doc := document.Document{ID: "a.md", Source: "a.md", Content: content, Version: document.VersionOf(content)}
		if _, _, err := decodeDocument(encodedDocument(doc)); !errors.Is(err, want) {
			t.Errorf("%d bytes: got %v, want %v", size, err, want)
		}
	}
}

// A clone by git with core.autocrlf differs only in its line ends.
func TestAnIndexWithOtherBytesIsAFinding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	tree := treeOf(t, oldDocuments)
	for change, want := range map[string]string{
		tree[fileListName]:                                   "",
		tree[fileListName] + "\n":                            "bytes differ",
		strings.Replace(tree[fileListName], ": ", ":  ", 1):  "bytes differ",
		strings.ReplaceAll(tree[fileListName], "\n", "\r\n"): ".gitattributes",
	} {
		tree[fileListName] = change
		restore(t, path, tree)
		c, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		found, err := c.CheckFileList(manifestIn(t, c))
		c.Close()
		isAsWanted := len(found) == 0 && want == "" || len(found) == 1 && want != "" && strings.Contains(found[0].Message, want)
		if err != nil || !isAsWanted {
			t.Errorf("%q: got %v, %v, want %q", change, found, err, want)
		}
	}
	tree[ManifestPath] = strings.ReplaceAll(tree[ManifestPath], "\n", "\r\n")
	restore(t, path, tree)
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.OpenIndex(); fault.CodeOf(err) != fault.CacheInvalid || !strings.Contains(err.Error(), ".gitattributes") {
		t.Errorf("got %v for a manifest with other line ends", err)
	}
}
