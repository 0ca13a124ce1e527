package dotcontext

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// aContext is a valid context with that summary, of no particular files.
func aContext(summary string) string {
	return string(contextfile.New(".", "00000000", "2026-01-01T00:00:00Z", contextfile.Derived{Summary: summary}))
}

func TestScopesLeadToTheirDirectoryOrNowhere(t *testing.T) {
	outside := writeTree(t, map[string]string{".context.yaml": aContext("outside"), "sub/.context.yaml": aContext("outside")})
	root := writeTree(t, map[string]string{
		".context.yaml":          aContext("root"),
		"src/.context.yaml":      aContext("src"),
		"src/core/.context.yaml": aContext("core"),
		"..foo/.context.yaml":    aContext("dots"),
		".github/.context.yaml":  aContext("hidden"),
		"a file":                 "x",
		"日本/.context.yaml":       aContext("names"),
		"linkedfile/":            "",
		"linkedout/":             "",
	})
	for name, target := range map[string]string{
		"in":                       "src/core",
		"in-absolute":              filepath.Join(root, "src"),
		"out":                      outside,
		"out-relative":             "../" + filepath.Base(outside) + "/../" + filepath.Base(outside),
		"src/up":                   "../..",
		"nowhere":                  "none",
		"loop":                     "loop",
		"linkedfile/.context.yaml": "../src/.context.yaml",
		"linkedout/.context.yaml":  filepath.Join(outside, ".context.yaml"),
	} {
		symlink(t, target, filepath.Join(root, name))
	}
	const traversal = "Invalid scope: path traversal detected"
	for _, c := range []struct{ scope, canonical, want string }{
		{".", ".", "root"},
		{"", ".", "root"},
		{"./", ".", "root"},
		{"src", "src", "src"},
		{"./src/", "src", "src"},
		{"src//core", "src/core", "core"},
		{`src\core`, "src/core", "core"},
		{`.\src\core\`, "src/core", "core"},
		{"src/core/..", "src", "src"},
		{"src/../src/./core", "src/core", "core"},
		{"none/../src", "src", "src"},
		{"..foo", "..foo", "dots"},
		{"src/../..foo", "..foo", "dots"},
		{".github", ".github", "hidden"},
		{"日本", "日本", "names"},
		{filepath.Join(root, "src"), "src", "src"},
		{root, ".", "root"},
		{"in", "in", "core"},
		{"in-absolute", "in-absolute", "src"},
		{"linkedfile", "linkedfile", "src"},

		{"..", "..", traversal},
		{"../..", "../..", traversal},
		{"../../etc", "../../etc", traversal},
		{`..\..\etc`, "../../etc", traversal},
		{"src/../..", "src/../..", traversal},
		{"src/core/../../../x", "src/core/../../../x", traversal},
		{"../" + filepath.Base(root), ".", "root"},
		{"../" + filepath.Base(root) + "x", "../" + filepath.Base(root) + "x", traversal},
		{"/", "/", traversal},
		{"/etc", "/etc", traversal},
		{"//etc", "//etc", traversal},
		{root + "/../x", root + "/../x", traversal},
		{outside, outside, traversal},
		{"out", "out", traversal},
		{"out/sub", "out/sub", traversal},
		{"out-relative", "out-relative", traversal},
		{"src/up", "src/up", traversal},
		{"linkedout", "linkedout", traversal},

		{"none", "none", "missing"},
		{"src/none", "src/none", "missing"},
		{"a file", "a file", "missing"},
		{"src\x00", "src\x00", "missing"},
		{"\x00/../..", "\x00/../..", traversal},
		{strings.Repeat("x", 5_000), strings.Repeat("x", 5_000), "missing"},
		{strings.Repeat("x/", 50_000), strings.Repeat("x/", 49_999) + "x", "missing"},
		{strings.Repeat("../", 1_000), strings.Repeat("../", 1_000), traversal},
		{"...", "...", "missing"},
		{"%2e%2e/", "%2e%2e", "missing"},
		{"~", "~", "missing"},
		{"nowhere", "nowhere", "missing"},
		{"loop", "loop", "missing"},
		{`C:\Windows`, "C:/Windows", "missing"},
		{"src\n", "src\n", "missing"},
	} {
		found, err := locate(nil, root, c.scope)
		if err == nil {
			found.project.Close()
		}
		got := ""
		switch {
		case err == errMissing:
			got = "missing"
		case err != nil:
			got = err.Error()
		default:
			got = found.context.Summary
		}
		if got != c.want || found.scope != c.canonical {
			t.Errorf("%.80q: got %.80q, %q, want %.80q, %q", c.scope, found.scope, got, c.canonical, c.want)
		}
	}
}

// No scope leads out of the root.
func FuzzScope(f *testing.F) {
	root := "/home/somebody/project"
	for _, scope := range []string{".", "..", "a/../..", `a\..\..`, "/home/somebody/project/a", "..foo", "a\x00", "//", "./..//x"} {
		f.Add(scope)
	}
	f.Fuzz(func(t *testing.T, scope string) {
		canonical, err := lexicalScope(root, scope)
		if err != nil {
			return
		}
		if !filepath.IsLocal(canonical) {
			t.Fatalf("%q: got %q", scope, canonical)
		}
		again, err := lexicalScope(root, canonical)
		if err != nil || again != canonical {
			t.Fatalf("%q: got %q, then %q and %v", scope, canonical, again, err)
		}
	})
}
