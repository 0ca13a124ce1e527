package agent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
)

func TestNearestPagesHaveLikeNames(t *testing.T) {
	caches := cachesOf(t, t.TempDir(), map[string]map[string]string{
		"docs": {"guide/Setup.md": "a", "guide/install-windows.md": "b", "guide/api/README.md": "c", "setup.md": "d", "cli/setup.md": "e", "cli/a/setup.md": "f"},
		"old":  {"guide/setup.md": "g", "x.md": "h", "y.md": "i"},
	})
	for _, test := range []struct{ name, id, want string }{
		{"", "guide/setpu.md", "docs:guide/setup.md old:guide/setup.md docs:setup.md"},
		{"", "guide/setup", "docs:guide/setup.md old:guide/setup.md docs:setup.md"},
		{"", "guide/setup.html", "docs:guide/setup.md old:guide/setup.md docs:setup.md"},
		{"", "guide/setup/index.md", "docs:guide/setup.md old:guide/setup.md docs:setup.md"},
		{"docs", "cli/b/setup.md", "docs:cli/setup.md docs:cli/a/setup.md docs:setup.md"},
		{"old", "set-up.md", "old:guide/setup.md"},
		{"", "guide/api.md", "docs:guide/api/readme.md"},
		{"", "install.md", "docs:guide/install-windows.md"},
		{"", "guide/install-windows-server.md", "docs:guide/install-windows.md"},
		{"", "z.md", "old:x.md old:y.md"},
		{"", "entirely-else.md", ""},
		{"none", "guide/setup.md", ""},
	} {
		got := strings.Join(nearest(caches, test.name, document.ID(test.id)), " ")
		if got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.name, test.id, got, test.want)
		}
		slices.Reverse(caches)
	}
}

func TestNearestNamesOfSectionsAndCaches(t *testing.T) {
	names := []string{"install", "installation", "options", "option-2", "max_port"}
	for wanted, want := range map[string]string{
		"instal": "install installation", "Options": "options option-2", "opts": "", "max-port": "max_port", "": "", "option": "options option-2",
	} {
		if got := strings.Join(nearestNames(wanted, names), " "); got != want {
			t.Errorf("%q: got %q, want %q", wanted, got, want)
		}
	}
}

func TestTheOrderOfNamesDoesNotCount(t *testing.T) {
	name := rapid.StringMatching("[ab]{1,3}(/[abc]{1,6}){0,2}")
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(name, rapid.ID).Draw(t, "names")
		wanted := name.Draw(t, "wanted")
		want := nearestNames(wanted, names)
		if got := nearestNames(wanted, rapid.Permutation(names).Draw(t, "order")); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", wanted, got, want)
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	names := make([]string, 50_000)
	for i := range names {
		names[i] = fmt.Sprintf("docs/area-%d/topic-%d/configure-%s-%d.md", i%20, i%400, strings.Repeat("ab", i%7), i)
	}
	for b.Loop() {
		if len(nearestNames("docs/area-1/configure-abab-4711.md", names)) != mostNearest {
			b.Fatal("got fewer names")
		}
	}
}
