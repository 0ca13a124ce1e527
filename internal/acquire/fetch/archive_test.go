package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/contextcompiler/context/fault"
)

// tarOf returns a tar of files. Those whose content begins with "-> " are symlinks, and those with
// "=> " are hard links.
func tarOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(names); i += 2 {
		header := &tar.Header{Name: names[i], Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(names[i+1]))}
		if target, ok := strings.CutPrefix(names[i+1], "-> "); ok {
			header.Typeflag, header.Linkname, header.Size = tar.TypeSymlink, target, 0
		}
		if target, ok := strings.CutPrefix(names[i+1], "=> "); ok {
			header.Typeflag, header.Linkname, header.Size = tar.TypeLink, target, 0
		}
		if names[i+1] == "pipe" {
			header.Typeflag, header.Size = tar.TypeFifo, 0
		}
		if err := w.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, names[i+1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipOf(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstdOf(t *testing.T, plain []byte, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(plain, nil)
}

func zipOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(names); i += 2 {
		header := &zip.FileHeader{Name: names[i], Method: zip.Deflate}
		content, isLink := strings.CutPrefix(names[i+1], "-> ")
		if isLink {
			header.SetMode(fs.ModeSymlink | 0o777)
		}
		file, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// serve serves files by their paths, on loopback.
func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestArchivesAreUnpacked(t *testing.T) {
	plain := tarOf(t, "./docs/a.md", "# A\n", "docs/b/c.md", "# C\n", "docs/link.md", "-> /etc/passwd")
	url := serve(t, map[string][]byte{"/a.tar": plain, "/a.tar.gz": gzipOf(t, plain), "/a.TGZ": gzipOf(t, plain), "/a.tar.zst": zstdOf(t, plain), "/a.zip": zipOf(t, "docs/a.md", "# A\n", "docs/b/c.md", "# C\n")})
	for _, name := range []string{"/a.tar", "/a.tar.gz", "/a.TGZ", "/a.tar.zst", "/a.zip"} {
		f := newFetcher(t)
		pin, err := f.Resolve(t.Context(), Origin{Archive: url + name, Dir: "docs"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := list(t, f, pin); len(got) != 2 || got["docs/a.md"] != "# A\n" || got["docs/b/c.md"] != "# C\n" {
			t.Errorf("%s: got %q", name, got)
		}
		empty := newFetcher(t)
		if again, err := empty.Fetch(t.Context(), pin); err != nil || again != pin {
			t.Errorf("%s: got %+v, %v, want %+v", name, again, err, pin)
		}
	}
}

func TestLyingArchivesAreRefused(t *testing.T) {
	good := gzipOf(t, tarOf(t, "a.md", "# A\n"))
	sparse := sparseTar(t, 9, 1<<20) // holes need no bytes in the archive
	large := strings.Repeat("\n", 1<<19)
	many, links := []string{}, []string{"a.md", large}
	for i := range 9 {
		many = append(many, fmt.Sprintf("%d.md", i), large)
		links = append(links, fmt.Sprintf("%d.md", i), "-> a.md", fmt.Sprintf("h%d.md", i), "=> a.md")
	}
	url := serve(t, map[string][]byte{
		"/up.tar":         tarOf(t, "../a.md", "# A\n"),
		"/absolute.tar":   tarOf(t, "/a.md", "# A\n"),
		"/twice.tar":      tarOf(t, "a.md", "# A\n", "a.md", "# B\n"),
		"/file.tar":       tarOf(t, "a", "# A\n", "a/b.md", "# B\n"),
		"/dir.tar":        tarOf(t, "a/b.md", "# B\n", "a", "# A\n"),
		"/sparse.tgz":     gzipOf(t, sparse),
		"/small.zip":      zipOf(t, many...), // each of them could be in an archive
		"/links.tgz":      gzipOf(t, tarOf(t, links...)),
		"/link.tar":       tarOf(t, "a", "-> /tmp", "a/b.md", "# B\n"), // the link is left out, so this is a directory
		"/parent.tar":     tarOf(t, "a/../b.md", "# B\n"),
		"/none.tar":       tarOf(t),
		"/encrypted.zip":  zipWith(t, 8, 1, "a.md", "# A\n"),
		"/method.zip":     zipWith(t, 10, 14, "a.md", "# A\n"),
		"/bomb.tgz":       gzipOf(t, tarOf(t, "a.md", strings.Repeat("\n", 8<<20))),
		"/bomb.tar.zst":   zstdOf(t, tarOf(t, "a.md", strings.Repeat("\n", 8<<20))),
		"/window.tar.zst": zstdOf(t, bytes.Repeat([]byte("0123456789"), 20<<20), zstd.WithWindowSize(128<<20)),
		"/cut.tar.zst":    zstdOf(t, tarOf(t, "a.md", "# A\n"))[:40],
		"/truncated.tgz":  good[:len(good)-10],
		"/empty.tgz":      nil,
		"/html.zip":       []byte("<html>Please log in</html>"),
		"/html.tar":       []byte("\n<!DOCTYPE html><p>Please log in"),
		"/up.zip":         zipOf(t, "../a.md", "# A\n"),
		"/bomb.zip":       zipOf(t, "a.md", strings.Repeat("\n", 8<<20)),
	})
	for name, want := range map[string]string{
		"/up.tar": "leads elsewhere", "/absolute.tar": "leads elsewhere", "/twice.tar": "twice", "/file.tar": `contains "a" both as a file and as a directory`, "/dir.tar": `contains "a" both as a file and as a directory`, "/parent.tar": "leads elsewhere",
		"/none.tar": "contains no files", "/encrypted.zip": `"a.md" is encrypted`, "/method.zip": `"a.md": zip: unsupported compression`,
		"/bomb.tgz": "expands to more than", "/bomb.tar.zst": "expands to more than", "/window.tar.zst": "window size", "/cut.tar.zst": "EOF", "/truncated.tgz": "EOF", "/empty.tgz": "EOF", "/html.zip": "a web page", "/html.tar": "a web page", "/up.zip": "leads elsewhere", "/bomb.zip": "expands to",
		"/sparse.tgz": "expands to", "/small.zip": "expands to", "/links.tgz": "expands to",
		"/missing.tar": "404", "/link.tar": "",
	} {
		f := newFetcher(t)
		pin, err := f.Resolve(t.Context(), Origin{Archive: url + name})
		if want == "" {
			if err != nil || len(list(t, f, pin)) != 1 {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || fault.CodeOf(err) != fault.IO {
			t.Errorf("%s: got %v, want an I/O error with %q", name, err, want)
		}
		if entries, err := f.Store.List(t.Context()); err != nil || len(entries) != 0 {
			t.Errorf("%s: got the entries %v, %v, want none", name, entries, err)
		}
		if found, _ := filepath.Glob(filepath.Join(filepath.Dir(f.Store.Dir), "*.md")); found != nil {
			t.Errorf("%s: got files outside of the store: %q", name, found)
		}
	}
}

// zipWith is zipOf with another byte of the header of its only file.
func zipWith(t *testing.T, at int, value byte, names ...string) []byte {
	t.Helper()
	z := zipOf(t, names...)
	z[bytes.Index(z, []byte("PK\x01\x02"))+at] = value
	return z
}

// Unusual spellings of names, such as .//docs/a.md, name the same files, and an invalid name
// doesn't make the archive fail.
func TestNamesInArchives(t *testing.T) {
	long := strings.Repeat("a", maxNameBytes+1)
	plain := tarOf(t, ".//docs/a.md", "# A\n", "././docs//b.md", "# B\n", "docs/./c.md", "=> ./docs/a.md",
		"docs/\xe9.md", "# Latin 1\n", "docs/a\nb.md", "# Line feed\n", long, "# Long\n", strings.Repeat("a/", maxDepth+1)+"b.md", "# Deep\n")
	url := serve(t, map[string][]byte{
		"/a.tar": plain,
		"/a.zip": zipOf(t, `docs\`, "", `docs\a.md`, "# A\n", `docs\b.md`, "# B\n", "docs/c.md", "# A\n", "docs/\x82.md", "# Code page 437\n"),
	})
	for name, want := range map[string]string{
		"/a.tar": `4 files whose paths are too long, not UTF-8 or contain a line feed are left out, the first is "docs/\xe9.md"`,
		"/a.zip": `"docs/\x82.md" is left out: it is a file whose path is too long, not UTF-8 or contains a line feed`,
	} {
		f, warnings := newFetcher(t), []string{}
		f.Warn = func(text string) { warnings = append(warnings, strings.TrimPrefix(text, url+name+": ")) }
		pin, err := f.Resolve(t.Context(), Origin{Archive: url + name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := list(t, f, pin); len(got) != 3 || got["docs/a.md"] != "# A\n" || got["docs/b.md"] != "# B\n" || got["docs/c.md"] != "# A\n" {
			t.Errorf("%s: got %q", name, got)
		}
		if !slices.Equal(warnings, []string{want}) {
			t.Errorf("%s: got the warnings %q", name, warnings)
		}
	}
}

// Small files, directories and long names take no content, but a disk nonetheless.
func TestFilesWithoutContentAreBounded(t *testing.T) {
	count := func(e entryFiles, kind treeKind, size int64) (n int, err error) {
		e.made, e.limit = map[string]treeKind{}, limitOf(100)
		for err == nil {
			err = e.take(fmt.Sprint(n), kind, size)
			n++
		}
		return n, err
	}
	for _, kind := range []treeKind{isFile, isDir} {
		n, err := count(entryFiles{}, kind, 1)
		if n < 10_000 || n > 20_000 || !strings.Contains(err.Error(), "too many for its size") {
			t.Errorf("got %d files, %v", n, err)
		}
	}
	if n, err := count(entryFiles{names: maxFiles*pathBytes - 5}, isFile, 0); n != 6 || !strings.Contains(err.Error(), "paths of its files") {
		t.Errorf("got %d files, %v", n, err)
	}
}

// sparseTar returns a tar of files that contain a single hole. GNU tar writes such
// headers, but [tar.Writer] doesn't.
func sparseTar(t *testing.T, files int, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	for i := range files {
		block := make([]byte, 512)
		copy(block, fmt.Sprintf("%d.md", i))
		copy(block[100:], "0000644\x000000000\x000000000\x0000000000000\x0000000000000\x00        S")
		copy(block[257:], "ustar  \x00")
		copy(block[386:], fmt.Sprintf("%011o\x00%011o\x00", size, 0)) // a piece of no bytes at the end
		copy(block[483:], fmt.Sprintf("%011o\x00", size))
		sum := 0
		for _, b := range block {
			sum += int(b)
		}
		copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
		out.Write(block)
	}
	out.Write(make([]byte, 1024))
	return out.Bytes()
}

// A link to a file of the archive counts as this file. All others are counted.
func TestLinksOfArchives(t *testing.T) {
	url := serve(t, map[string][]byte{
		"/a.tar": tarOf(t, "d/b.md", "=> d/a.md", "d/a.md", "# A\n", "d/c.md", "-> ../README.md", "README.md", "# Docs\n", "d/e.md", "-> b.md",
			"d/out.md", "-> ../../x", "d/gone.md", "=> d/none.md", "d/dir", "-> ../other", "other/x.md", "# X\n", "d/pipe", "pipe", "other/pipe", "pipe"),
		"/a.zip": zipOf(t, "d/b.md", "-> a.md", "d/a.md", "# A\n", "d/c.md", "-> ../README.md", "README.md", "# Docs\n", "d/e.md", "-> b.md",
			"d/out.md", "-> /etc/motd"),
	})
	for name, want := range map[string][]string{
		"/a.tar": {
			`"d/pipe" is left out: it is neither a file nor a link`, `"d/out.md" is left out: it is a link that leads outside`,
			`"d/gone.md" is left out: it is a broken link`, `"d/dir" is left out: it is a symlink to a directory`,
		},
		"/a.zip": {`"d/out.md" is left out: it is a link that leads outside`},
	} {
		f, warnings := newFetcher(t), []string{}
		f.Warn = func(text string) { warnings = append(warnings, strings.TrimPrefix(text, url+name+": ")) }
		pin, err := f.Resolve(t.Context(), Origin{Archive: url + name, Dir: "d"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := list(t, f, pin); got["d/b.md"] != "# A\n" || got["d/c.md"] != "# Docs\n" || got["d/e.md"] != "# A\n" {
			t.Errorf("%s: got %q", name, got)
		}
		if !slices.Equal(warnings, want) {
			t.Errorf("%s: got the warnings %q", name, warnings)
		}
	}
}

// Without a memory, each of these links walks a path of 4^n parts.
func TestLinksThroughManyLinksAreWalkedOnce(t *testing.T) {
	tree := linkTree{map[string]string{}, map[string]treeKind{"a.md": isFile, "d": isDir}, map[string]linkEnd{}}
	tree.links["l0"] = "d"
	for i := range 30 {
		up := fmt.Sprintf("l%d/../", i)
		tree.links[fmt.Sprintf("l%d", i+1)] = strings.Repeat(up, 4) + "d"
		tree.links[fmt.Sprintf("f%d", i+1)] = strings.Repeat(up, 4) + "a.md"
	}
	for i := range 30 {
		if file, why := tree.follow(fmt.Sprintf("f%d", i+1)); file != "a.md" {
			t.Errorf("%d: got %q, %v", i, file, why)
		}
	}
}

func TestMissingDirectoryOfAnArchiveIsNamed(t *testing.T) {
	f, url := newFetcher(t), serve(t, map[string][]byte{"/a.tar": tarOf(t, "a-1.0/docs/a.md", "# A\n", "a-1.0/README.md", "# Docs\n")})
	for dir, want := range map[string]string{
		"docs":            `it contains no directory "docs": there are "a-1.0"`,
		"a-1.0/doc":       `it contains no directory "a-1.0/doc": there are "a-1.0/docs"`,
		"a-1.0/README.md": "a-1.0/README.md is not a directory",
	} {
		if _, err := f.Resolve(t.Context(), Origin{Archive: url + "/a.tar", Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", dir, err)
		}
	}
}

// Neither a server that says nothing, nor one that sends a byte now and then, is waited for.
func TestFetchGivesUpOnASlowServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.URL.Path == "/trickle.tar" {
			_, err := w.Write([]byte{0})
			if w.(http.Flusher).Flush(); err != nil || r.Context().Err() != nil {
				return
			}
			runtime.Gosched()
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	for _, name := range []string{"/silent.tar", "/trickle.tar"} {
		f := newFetcher(t)
		f.patience = 50 * time.Millisecond
		if _, err := f.Resolve(t.Context(), Origin{Archive: server.URL + name}); !errors.Is(err, errSlow) || fault.CodeOf(err) != fault.IO {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAServerThatEndsEarlyIsNamed(t *testing.T) {
	whole := tarOf(t, "a.md", "# A\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/part.tar" {
			w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
			_, _ = w.Write(whole[:len(whole)/2])
		}
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	for _, name := range []string{"/part.tar", "/nothing.tar"} {
		_, err := newFetcher(t).Resolve(t.Context(), Origin{Archive: server.URL + name})
		if err == nil || !strings.HasSuffix(err.Error(), "the server closes the connection before the end: try again later") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestOtherBytesThanPinnedAreRefused(t *testing.T) {
	files := map[string][]byte{"/a.tar": tarOf(t, "a.md", "# A\n")}
	f, url := newFetcher(t), serve(t, files)
	pin, err := f.Resolve(t.Context(), Origin{Archive: url + "/a.tar"})
	if err != nil {
		t.Fatal(err)
	}
	files["/a.tar"] = tarOf(t, "a.md", "# B\n")
	if _, err := f.Fetch(t.Context(), pin); err != nil {
		t.Errorf("got %v from a store that has the entry", err)
	}
	empty := newFetcher(t)
	if _, err := empty.Fetch(t.Context(), pin); err == nil || !strings.Contains(err.Error(), "is pinned") {
		t.Errorf("got %v, want another SHA-256", err)
	}
}

// An archive reader gets whatever a server sends.
func FuzzArchivesStayInTheirEntry(f *testing.F) {
	for _, text := range []string{"a.md", "../a.md", "a/b.md"} {
		var t testing.T
		f.Add(gzipOf(&t, tarOf(&t, text, "# A\n")), ".tgz")
		f.Add(zipOf(&t, text, "# A\n"), ".zip")
		f.Add(zstdOf(&t, tarOf(&t, text, "# A\n")), ".tar.zst")
	}
	f.Fuzz(func(t *testing.T, archive []byte, extension string) {
		unpack, err := unpackerOf("https://example.org/a" + extension)
		if err != nil {
			t.Skip("no archive has this extension")
		}
		at := filepath.Join(t.TempDir(), "download")
		if err := os.WriteFile(at, archive, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = unpack(t.Context(), at, func(m archiveMember) error {
			if isPlain(m.name) && !filepath.IsLocal(filepath.FromSlash(m.name)) {
				t.Errorf("%q leads out of the entry", m.name)
			}
			if m.content == nil {
				return nil
			}
			_, err := io.Copy(io.Discard, io.LimitReader(m.content, m.size))
			return err
		})
	})
}

func TestXZIsRefused(t *testing.T) {
	for _, name := range []string{"a.tar.xz", "A.TXZ"} {
		err := Origin{Archive: "https://example.org/" + name}.Check()
		if err == nil || !strings.Contains(err.Error(), "expected the URL of a .tar, ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Messages name origins, and the query of a URL can contain a token.
func TestMessagesLackTheQueryOfAURL(t *testing.T) {
	origin := Origin{Archive: "https://example.com/docs.tar.gz?token=canary"}
	if got := origin.String(); got != "https://example.com/docs.tar.gz?..." {
		t.Errorf("got %s", got)
	}
}
