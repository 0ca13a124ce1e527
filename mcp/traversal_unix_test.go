//go:build unix

package mcp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contextcompiler/context/mcp"
)

// canary stands in the caches outside of the root and must never be printed.
const canary = "canary"

const (
	missingText = `{"error":{"code":"cache_missing","message":"Cache does not exist"}}` + "\n"
	invalidText = `{"error":{"code":"cache_invalid","message":"Cache exists but is invalid"}}` + "\n"
	ioText      = `{"error":{"code":"io_error","message":"I/O error occurred"}}` + "\n"
	unreadable  = `{"cache_version":"","document_count":0,"total_bytes":0,"valid":false}`
	noCaches    = `{"caches":[]}`
)

// makeTraps makes a cache root, and caches outside of it, in the directory outside.
func makeTraps(t *testing.T) (root, outside string) {
	t.Helper()
	dir := t.TempDir()
	root, outside = filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	newCache(t, filepath.Join(root, "good"), map[string]string{"a.md": "it"})
	newCache(t, outside, map[string]string{"a.md": canary, "documents.md": canary})
	newCache(t, filepath.Join(dir, "rootless"), map[string]string{"a.md": canary})
	for _, link := range []struct{ name, target string }{
		{"out", outside},
		{"out-relative", "../outside"},
		{"out-of-depth", "../../../../../../../../../../.." + outside},
		{"out-to-parent", ".."},
		{"out-to-sibling", "../rootless"},
		{"out-to-file", outside + "/manifest.json"},
		{"out-to-etc", "/etc"},
		{"out-to-root", "/"},
		{"out-to-proc", "/proc/self/root" + outside},
		{"out-and-back", "../root/good"},
		{"inside-absolute", filepath.Join(root, "good")},
		{"chain", "chain-2"},
		{"chain-2", "chain-3"},
		{"chain-3", "../outside"},
		{"dangling", "nowhere"},
		{"dangling-out", "../nowhere"},
		{"loop", "loop"},
		{"loop-a", "loop-b"},
		{"loop-b", "loop-a"},
		{"to-root", "."},
		{"to-file", "file"},
		{"inside", "good"},
		{"nested/out", "../../outside"},
	} {
		makeLink(t, filepath.Join(root, link.name), link.target)
	}
	// Caches with a part leading out.
	makeLink(t, filepath.Join(root, "manifest-out/manifest.json"), outside+"/manifest.json")
	makeLink(t, filepath.Join(root, "manifest-out/documents"), outside+"/documents")
	copyFile(t, filepath.Join(outside, "manifest.json"), filepath.Join(root, "documents-out/manifest.json"))
	makeLink(t, filepath.Join(root, "documents-out/documents"), outside+"/documents")
	copyFile(t, filepath.Join(outside, "manifest.json"), filepath.Join(root, "files-out/manifest.json"))
	files, _ := filepath.Glob(filepath.Join(outside, "documents", "*"))
	for _, file := range files {
		makeLink(t, filepath.Join(root, "files-out/documents", filepath.Base(file)), file)
	}
	writeFile(t, filepath.Join(root, "manifest-directory/manifest.json/x"), "")
	writeFile(t, filepath.Join(root, "file"), "")
	return root, outside
}

func makeLink(t *testing.T, name, target string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.Symlink(target, name)); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, to, string(data))
}

// hostileNames name nothing below the root, as a path or through symlinks.
func hostileNames(root, outside string) []string {
	names := []string{
		"", ".", "..", "//", "./", ".//.", "../", "...", "~", "~root", "-", "*", "go?d", "$HOME", "${PWD}", "`id`",
		"../outside", "../outside/", "../../outside", "good/../../outside", "good/../../root/good",
		"..//outside", "./../outside", "/../outside", "good/..", "good/../good", "/good", "/good/", "/",
		"//good", "good/documents/..", "nested/../good", "nested/out/../good",
		"..\\outside", "good\\..\\..\\outside", "\\good", "good\\", "C:\\good", "C:/good", "c:good", "\\\\host\\share", "//host/share",
		"good\x00", "\x00", "../outside\x00good", "good\x00/../../outside", "good\n", "good ", " good", "GOOD\t",
		"%2e%2e/outside", "%2e%2e%2foutside", "..%2foutside", "..%252foutside", "..%c0%afoutside", "good%00", "file:///etc", "file:" + outside,
		"\uff0e\uff0e/outside", "..\u2215outside", "..\u2044outside", "\u2024\u2024/outside", ".\u200b./outside", "\ufeffgood", "g\u043e\u043ed", "good\u2028",
		"/etc", "/etc/passwd", "/proc/self/cwd", "/dev/stdin", "/dev/fd/0", "proc/self/fd/3", "CON", "NUL", "good:stream", "good.",
		root, root + "/good", outside, outside + "/", filepath.Join(root, "..", "outside"),
		"file", "file/", "file/..", "good/manifest.json", "good/manifest.json/..", "good/documents/none",
		strings.Repeat("a", 255), strings.Repeat("a", 256), strings.Repeat("a", 5_000), strings.Repeat("a/", 50_000) + "a",
		strings.Repeat("../", 1_000) + outside[1:], strings.Repeat("good/../", 500) + "good", strings.Repeat("to-root/", 300) + "good",
		"out", "out/", "out/documents", "out-relative", "out-of-depth", "out-to-parent", "out-to-parent/outside", "out-to-parent/root/good",
		"out-to-sibling", "out-to-file", "out-to-etc", "out-to-root", "out-to-root" + outside, "out-to-proc", "out-and-back",
		"inside-absolute", "chain", "chain-2", "chain-3", "dangling", "dangling-out", "loop", "loop/x", "loop-a", "to-file", "nested/out",
	}
	return names
}

func TestNamesThatLeadOutOfTheRootNameNothing(t *testing.T) {
	root, outside := makeTraps(t)
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	names := hostileNames(root, outside)
	if len(names) < 60 {
		t.Fatalf("got %d names, want 60 or more", len(names))
	}
	for _, name := range names {
		if got := server.resolve(name); got != missingText {
			t.Errorf("resolve %.100q: got %s", name, got)
		}
		if got := server.inspect(name); got != missingText {
			t.Errorf("inspect_cache %.100q: got %s", name, got)
		}
		if got := server.list(name); got != missingText && filepath.Clean(name) != "." {
			t.Errorf("list_caches %.100q: got %s", name, got)
		}
	}
}

func (c *client) resolve(cache string) string {
	c.t.Helper()
	return c.call("context.resolve", arguments{"cache": cache, "query": "it " + canary, "budget": 4_000}).text()
}

func (c *client) inspect(cache string) string {
	c.t.Helper()
	return c.call("context.inspect_cache", arguments{"cache": cache}).text()
}

func (c *client) list(root string) string {
	c.t.Helper()
	return c.call("context.list_caches", arguments{"root": root}).text()
}

// A cache with symlinks as parts is invalid, and their targets are not read.
func TestCachesWithPartsThatLeadOutAreInvalid(t *testing.T) {
	root, _ := makeTraps(t)
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	for _, want := range []struct{ cache, inspect, list string }{
		{"manifest-out", unreadable, noCaches},
		{"manifest-directory", unreadable, `{"caches":[{"path":"manifest-directory/manifest.json","has_manifest":false}]}`},
		{"documents-out", "", noCaches},
		{"files-out", "", `{"caches":[{"path":"files-out/documents","has_manifest":false}]}`},
		{"nested", unreadable, noCaches},
		{"good/documents", unreadable, noCaches},
	} {
		if got := server.resolve(want.cache); got != invalidText {
			t.Errorf("resolve %s: got %s", want.cache, got)
		}
		// The manifest of some is fine, and inspect_cache looks no further.
		if got := server.inspect(want.cache); want.inspect != "" && got != want.inspect {
			t.Errorf("inspect_cache %s: got %s, want %s", want.cache, got, want.inspect)
		}
		if got := server.list(want.cache); got != want.list {
			t.Errorf("list_caches %s: got %s, want %s", want.cache, got, want.list)
		}
	}
}

// A call can name symlinks that stay inside, but they are not listed.
func TestSymlinksInsideTheRootAreFollowedButNotListed(t *testing.T) {
	root, _ := makeTraps(t)
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	for _, name := range []string{"inside", "to-root/good", "to-root/inside"} {
		if got, want := server.resolve(name), server.resolve("good"); got != want || !strings.Contains(got, `"a.md"`) {
			t.Errorf("resolve %s: got %s, want %s", name, got, want)
		}
		if got, want := server.inspect(name), server.inspect("good"); got != want {
			t.Errorf("inspect_cache %s: got %s, want %s", name, got, want)
		}
	}
	const want = `{"caches":[{"path":"documents-out","has_manifest":true},{"path":"files-out","has_manifest":true},` +
		`{"path":"good","has_manifest":true},{"path":"manifest-directory","has_manifest":false},` +
		`{"path":"manifest-out","has_manifest":false},{"path":"nested","has_manifest":false}]}`
	if got := server.list("."); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// No call waits for a writer of a pipe.
func TestPipesAndSocketsAreNoCaches(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"pipe", "cache/manifest.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, ask := range []struct {
		what string
		got  func(*client) string
		want string
	}{
		{"resolve pipe", func(c *client) string { return c.resolve("pipe") }, missingText},
		{"inspect_cache pipe", func(c *client) string { return c.inspect("pipe") }, missingText},
		{"list_caches pipe", func(c *client) string { return c.list("pipe") }, missingText},
		{"resolve cache", func(c *client) string { return c.resolve("cache") }, invalidText},
		{"inspect_cache cache", func(c *client) string { return c.inspect("cache") }, unreadable},
	} {
		t.Run(ask.what, func(t *testing.T) {
			server := startProcess(t, "--cache-root", root).initialize()
			if got := ask.got(server); got != ask.want {
				t.Errorf("got %s, want %s", got, ask.want)
			}
		})
	}
}

// The answer to a canary outside is checked together with all other output.
func TestNoAnswerHoldsWhatIsOutsideOfTheRoot(t *testing.T) {
	root, outside := makeTraps(t)
	server := start(t, mcp.Settings{CacheRoot: root}).initialize()
	names := append(hostileNames(root, outside), "manifest-out", "documents-out", "files-out", "nested")
	for _, name := range names {
		for _, text := range []string{server.resolve(name), server.inspect(name), server.list(name)} {
			if strings.Contains(strings.ReplaceAll(text, `"query":"it `+canary, ""), canary) {
				t.Errorf("%.100q: got %s", name, text)
			}
		}
	}
}
