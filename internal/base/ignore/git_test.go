// Given ignore files and the paths of a tree, git itself says which paths it ignores. Tests with
// git are skipped where it isn't installed.

package ignore_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A git is an installed git with a repository. It ignores the configuration of the user.
type git struct {
	program string
	env     []string
}

// findGit skips the test if git cannot be asked.
func findGit(t *testing.T) git {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the trees have names such as a*b, which Windows refuses")
	}
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skipf("git is not installed: %v", err)
	}
	repository := filepath.Join(t.TempDir(), "repository")
	g := git{program, []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=core.excludesFile", "GIT_CONFIG_VALUE_0=",
		"GIT_CONFIG_KEY_1=core.ignoreCase", "GIT_CONFIG_VALUE_1=false",
		"GIT_DIR=" + repository,
	}}
	g.run(t, ".", nil, "init", "--quiet", "--template=")
	return g
}

// version returns the likes of "git version 2.39.5".
func (g git) version(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(g.run(t, ".", nil, "--version"))
}

// leftOut returns, for each path of the tree, whether git ignores it.
func (g git) leftOut(t *testing.T, c tree) []bool {
	t.Helper()
	c.write(t, ".gitignore")
	defer c.remove(t, ".gitignore")
	var stdin bytes.Buffer
	for _, path := range c.paths {
		// With "./", a ':' at the beginning has no special meaning.
		stdin.WriteString("./" + strings.TrimSuffix(path, "/") + "\x00")
	}
	stdout := g.run(t, c.root, &stdin, "check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching")
	fields := strings.Split(stdout, "\x00")
	if got, want := len(fields), 4*len(c.paths)+1; got != want {
		t.Fatalf("got %d fields from git, want %d: %q", got, want, stdout)
	}
	verdicts := make([]bool, len(c.paths))
	for i := range c.paths {
		// The file of the last matching rule, its line, the rule, the path.
		source, rule := fields[4*i], fields[4*i+2]
		verdicts[i] = source != "" && !strings.HasPrefix(rule, "!")
	}
	return verdicts
}

// run returns the output of git. With exit status 1, check-ignore says that nothing is ignored.
func (g git) run(t *testing.T, dir string, stdin *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := exec.Command(g.program, args...)
	cmd.Dir = dir
	cmd.Env = append(g.env, "GIT_WORK_TREE="+dir)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %q: %v\n%s", args, err, &stderr)
	}
	return string(stdout)
}
