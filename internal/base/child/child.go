// Package child watches the programs started by tests: a race or a crash in such a
// program fails the test. Only tests use it.
package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Watch prepares a command before it starts. The process must have ended by the end of
// the test. Then the test fails if the race detector has reported anything or if
// standard error shows a crash.
//
// Race reports go to files, and so does standard error unless cmd redirects it, because
// a closed pipe would lose them and an unread pipe could block.
func Watch(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	dir := publicDir(t)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0 log_path="+filepath.Join(dir, "race"))
	if cmd.Stderr == nil {
		f, err := os.Create(filepath.Join(dir, "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = f
		t.Cleanup(func() { f.Close() })
	}
	t.Cleanup(func() {
		for _, report := range reports(t, dir) {
			t.Errorf("%s: %s", cmd.Path, report)
		}
	})
}

// publicDir returns a new directory where programs of any user can write.
func publicDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "child")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reports returns the reports of races and crashes in the files of dir.
func reports(t testing.TB, dir string) (found []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(name), "race.") || isCrash(string(text)) {
			found = append(found, string(text))
		}
	}
	return found
}

func isCrash(stderr string) bool {
	for line := range strings.Lines(stderr) {
		for _, sign := range []string{"panic: ", "fatal error: ", "WARNING: DATA RACE"} {
			if strings.HasPrefix(line, sign) {
				return true
			}
		}
	}
	return false
}
