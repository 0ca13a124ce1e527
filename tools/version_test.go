package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const release = "v0.9.9" // a version without a commit in this repository

// source copies the files of the working tree tracked by git.
func source(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("../.git"); err != nil {
		t.Skipf("without git, there is no clone to take a version from: %v", err)
	}
	dir := t.TempDir()
	run(t, "..", "git ls-files -z | tar --null -T - -cf - | tar -xf - -C "+dir)
	return dir
}

// printedVersion returns the second word in the output of `context version`.
func printedVersion(t *testing.T, program string) string {
	t.Helper()
	return strings.Fields(run(t, ".", program+" version"))[1]
}

// The programs of a release are built in a clone, too, so this is their version.
func TestTheVersionFromACloneIsThatOfItsCommit(t *testing.T) {
	dir, bin := source(t), t.TempDir()
	t.Setenv("GIT_CONFIG_COUNT", "2")
	t.Setenv("GIT_CONFIG_KEY_0", "user.name")
	t.Setenv("GIT_CONFIG_VALUE_0", "Test")
	t.Setenv("GIT_CONFIG_KEY_1", "user.email")
	t.Setenv("GIT_CONFIG_VALUE_1", "test@example.com")
	for _, state := range []struct{ commands, want string }{
		{"git init -q && git add -A && git commit -qm First", `v0\.0\.0-\d{14}-[0-9a-f]{12}`},
		{"git tag " + release, `v0\.9\.9`},
		{"git commit -q --allow-empty -m Second", `v0\.9\.10-0\.\d{14}-[0-9a-f]{12}`},
		{"echo >> README.md", `v0\.9\.10-0\.\d{14}-[0-9a-f]{12}\+dirty`},
	} {
		run(t, dir, state.commands)
		run(t, dir, "go build -trimpath -buildvcs=true -o "+bin+" ./cmd/context")
		if got := printedVersion(t, bin+"/context"); !regexp.MustCompile("^" + state.want + "$").MatchString(got) {
			t.Errorf("%s: got %s, want %s", state.commands, got, state.want)
		}
	}
}

// If you install a version, you get exactly this version. The module comes from a directory serving
// as a proxy, its dependencies from the module cache.
func TestTheVersionFromGoInstallIsThatOfTheModule(t *testing.T) {
	const path = "github.com/contextcompiler/context"
	dir, proxy, bin := source(t), t.TempDir(), t.TempDir()
	versions := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(versions, release+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(archive, module.Version{Path: path, Version: release}, dir); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, versions, "cp "+dir+"/go.mod "+release+".mod && echo '{\"Version\":\""+release+"\"}' > "+release+".info && echo "+release+" > list")

	cache := strings.TrimSpace(run(t, ".", "go env GOMODCACHE"))
	t.Setenv("GOPROXY", "file://"+proxy+",file://"+cache+"/cache/download,off")
	t.Setenv("GOSUMDB", "off") // the test uses no network
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw -trimpath")
	t.Setenv("GOBIN", bin)
	run(t, proxy, "go install "+path+"/cmd/context@"+release)
	if got := printedVersion(t, bin+"/context"); got != release {
		t.Errorf("got %s, want %s", got, release)
	}
}
