package fetch

import (
	"errors"
	"testing"
)

func TestAddressesFromElsewhereAreUnderstood(t *testing.T) {
	for address, want := range map[string]Origin{
		"https://github.com/o/r/tree/main/guide/a":              {Git: "https://github.com/o/r", Ref: "main", Dir: "guide/a"},
		"https://github.com/o/r/tree/v1/":                       {Git: "https://github.com/o/r", Ref: "v1"},
		"https://github.com/o/r/blob/main/docs/a.md?plain=1#L3": {Git: "https://github.com/o/r", Ref: "main", Dir: "docs"},
		"https://github.com/o/r/blob/main/README.md":            {Git: "https://github.com/o/r", Ref: "main"},
		"https://github.com/o/r/commit/1a2b":                    {Git: "https://github.com/o/r", Ref: "1a2b"},
		"https://github.com/o/r/releases/tag/v1.2":              {Git: "https://github.com/o/r", Ref: "v1.2"},
		"https://gitlab.com/a/b/c/-/tree/main/docs?ref_type=h":  {Git: "https://gitlab.com/a/b/c", Ref: "main", Dir: "docs"},
		"https://gitlab.com/a/b/-/blob/main/docs/a.md":          {Git: "https://gitlab.com/a/b", Ref: "main", Dir: "docs"},
		"https://gitlab.com/a/b/-/tags/v1":                      {Git: "https://gitlab.com/a/b", Ref: "v1"},
		"https://bitbucket.org/o/r/src/main/docs/":              {Git: "https://bitbucket.org/o/r", Ref: "main", Dir: "docs"},
		"https://codeberg.org/o/r/src/branch/main/docs/a.md":    {Git: "https://codeberg.org/o/r", Ref: "main", Dir: "docs"},
		"https://codeberg.org/o/r/src/tag/v1":                   {Git: "https://codeberg.org/o/r", Ref: "v1"},
		"https://git.sr.ht/~u/r/tree/main/item/docs":            {Git: "https://git.sr.ht/~u/r", Ref: "main", Dir: "docs"},
		"https://127.0.0.1:1/o/r.git#main":                      {Git: "https://127.0.0.1:1/o/r.git", Ref: "main"},
		"https://example.org/o/r.git#main:docs":                 {Git: "https://example.org/o/r.git", Ref: "main", Dir: "docs"},
		"https://example.org/o/r@v1":                            {Git: "https://example.org/o/r", Ref: "v1"},
		"ssh://git@example.org/o/r@v1":                          {Git: "ssh://git@example.org/o/r", Ref: "v1"},
	} {
		err := Origin{Git: address}.Check()
		if got, ok := errors.AsType[*AddressError](err); !ok || got.Origin != want {
			t.Errorf("%s: got %v", address, err)
		}
	}
	for _, address := range []string{
		"https://git.kernel.org/pub/scm/tree/linux.git", "https://example.org/r", "https://example.org/a/b/c/d", "https://example.org/a/src/x", "git@example.org:r",
		"git@example.org:o/r.git", "ssh://git@example.org/o/r", "file:///srv/a@b#c/tree/x", "https://user@example.org/o/r", "https://example.org/o/-",
	} {
		if err := (Origin{Git: address}).Check(); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
