package targets

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/internal/project/watch"
)

// pnpm updates a package by pointing its symlink to another directory, and package managers write
// their lock file.
func TestPlacesLeadToInstalledPackages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need a privilege")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse([]byte(`
-- .git/HEAD --
-- package-lock.json --
{"lockfileVersion": 3, "packages": {"node_modules/next": {"version": "16.0.0"}}}
-- node_modules/.pnpm/next@16.0.0/node_modules/next/package.json --
{"version": "16.0.0"}
-- node_modules/.pnpm/next@16.0.0/node_modules/next/docs/a.md --
# A
-- Contextfile.yml --
version: 1
caches: {all: {sources: [{package: npm:next}]}}
`))
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(".pnpm", "next@16.0.0", "node_modules", "next"), filepath.Join(dir, "node_modules", "next")); err != nil {
		t.Fatal(err)
	}
	file, err := Read(filepath.Join(dir, Name), Environment{})
	if err != nil {
		t.Fatal(err)
	}
	places, err := PlacesOf(t.Context(), file.Targets[0], dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "node_modules", ".pnpm", "next@16.0.0", "node_modules", "next")
	for _, want := range []watch.Place{
		{Dir: filepath.Join(real, "docs")},
		{Dir: real, Name: "package.json"},
		{Dir: filepath.Join(dir, "node_modules"), Name: "next"},
		{Dir: dir, Name: "package-lock.json"},
	} {
		if !slices.Contains(places, want) {
			t.Errorf("got no place %v in %v", want, places)
		}
	}
}
