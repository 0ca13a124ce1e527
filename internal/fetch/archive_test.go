package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/contextcompiler/context/fault"
)

// tarOf returns a tar of files. Those whose content begins with "-> " are symlinks.
func tarOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(names); i += 2 {
		header := &tar.Header{Name: names[i], Mode: 0o644, Typeflag: tar.TypeReg, Size: int64(len(names[i+1]))}
		if target, ok := strings.CutPrefix(names[i+1], "-> "); ok {
			header.Typeflag, header.Linkname, header.Size = tar.TypeSymlink, target, 0
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
		file, err := w.Create(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, names[i+1]); err != nil {
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
	url := serve(t, map[string][]byte{
		"/up.tar":         tarOf(t, "../a.md", "# A\n"),
		"/absolute.tar":   tarOf(t, "/a.md", "# A\n"),
		"/twice.tar":      tarOf(t, "a.md", "# A\n", "a.md", "# B\n"),
		"/file.tar":       tarOf(t, "a", "# A\n", "a/b.md", "# B\n"),
		"/link.tar":       tarOf(t, "a", "-> /tmp", "a/b.md", "# B\n"), // the link is left out, so this is a directory
		"/deep.tar":       tarOf(t, strings.Repeat("a/", maxDepth+1)+"b.md", "# B\n"),
		"/bomb.tgz":       gzipOf(t, tarOf(t, "a.md", strings.Repeat("\n", 8<<20))),
		"/bomb.tar.zst":   zstdOf(t, tarOf(t, "a.md", strings.Repeat("\n", 8<<20))),
		"/window.tar.zst": zstdOf(t, bytes.Repeat([]byte("0123456789"), 20<<20), zstd.WithWindowSize(128<<20)),
		"/cut.tar.zst":    zstdOf(t, tarOf(t, "a.md", "# A\n"))[:40],
		"/truncated.tgz":  good[:len(good)-10],
		"/empty.tgz":      nil,
		"/html.zip":       []byte("<html>Please log in</html>"),
		"/up.zip":         zipOf(t, "../a.md", "# A\n"),
		"/bomb.zip":       zipOf(t, "a.md", strings.Repeat("\n", 8<<20)),
	})
	for name, want := range map[string]string{
		"/up.tar": "leads elsewhere", "/absolute.tar": "leads elsewhere", "/twice.tar": "twice", "/file.tar": "a", "/deep.tar": "leads elsewhere",
		"/bomb.tgz": "expands to more than", "/bomb.tar.zst": "expands to more than", "/window.tar.zst": "window size", "/cut.tar.zst": "EOF", "/truncated.tgz": "EOF", "/empty.tgz": "EOF", "/html.zip": "zip", "/up.zip": "leads elsewhere", "/bomb.zip": "expands to",
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
		_ = unpack(t.Context(), at, func(name string, size int64, content io.Reader) error {
			if isPlain(name) && !filepath.IsLocal(filepath.FromSlash(name)) {
				t.Errorf("%q leads out of the entry", name)
			}
			_, err := io.Copy(io.Discard, io.LimitReader(content, size))
			return err
		})
	})
}

func TestXZIsRefusedByName(t *testing.T) {
	for _, name := range []string{"a.tar.xz", "A.TXZ"} {
		err := Origin{Archive: "https://example.org/" + name}.Check()
		if err == nil || !strings.Contains(err.Error(), "format xz are not supported") {
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
