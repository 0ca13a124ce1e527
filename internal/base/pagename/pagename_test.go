package pagename_test

import (
	"testing"

	"github.com/contextcompiler/context/internal/base/pagename"
)

func TestAStemHasNoExtensionOfAPage(t *testing.T) {
	for path, want := range map[string]string{
		"guide/install.md": "guide/install", "a.mdx": "a", "a.markdown": "a", "a.md.mdx": "a.md",
		"a.MD": "a.MD", "a.txt": "a.txt", "amd": "amd", "": "",
	} {
		if got := pagename.Stem(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}
