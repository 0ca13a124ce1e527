//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/contextcompiler/context/cli"
	"github.com/contextcompiler/context/internal/base/effort"
)

// startsAll reports whether scripts start a process for each command, as users do. Otherwise,
// most commands run inside of the process of the tests, because starting a process takes ten
// times as long as they do.
func startsAll() bool { return effort.Cases(1, 0) > 0 || *update }

// inside guards the working directory and the environment, because a process has only one of
// each. The programs that other scripts start meanwhile get their own.
var inside sync.Mutex

var startingLine = regexp.MustCompile(`^((?:\[.*\] )?)exec (context(?: .*[^&])?)$`)

// scriptsInside returns copies of scripts that run the program inside of this process instead
// of with exec, unless the process needs an input.
func scriptsInside(t *testing.T, paths []string) (changed []string) {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(archive.Comment), "\n")
		for i, line := range lines {
			if i == 0 || !givesInput.MatchString(lines[i-1]) {
				lines[i] = startingLine.ReplaceAllString(line, "${1}exits 0 $2")
			}
		}
		archive.Comment = []byte(strings.Join(lines, "\n"))
		copied := filepath.Join(dir, filepath.Base(path))
		writeFile(t, copied, string(txtar.Format(archive)))
		changed = append(changed, copied)
	}
	return changed
}

var givesInput = regexp.MustCompile(`^(\[.*\] )?stdin `)

// prepareInside readies this process for runInside.
func prepareInside(t *testing.T) {
	t.Helper()
	input := os.Stdin
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	os.Stdin = nothing
	t.Cleanup(func() {
		os.Stdin = input
		nothing.Close()
	})
}

// runInside runs the program in the directory and with the environment of a script, and
// returns its exit status.
func runInside(ts *testscript.TestScript, args []string) int {
	stdout, stderr, dir := ts.Stdout(), ts.Stderr(), ts.MkAbs(".")
	inside.Lock()
	defer inside.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(dir))
	defer os.Chdir(before)
	defer setEnvironment(os.Environ())
	setEnvironment(environmentOf(ts, dir))
	return cli.Main(context.Background(), args, stdout, stderr)
}

// variables is the key of the names of the variables that a script may set.
type variables struct{}

var settingOf = regexp.MustCompile(`\b(?:(\w+)=|setbytes (\w+) )`)

// namesOfVariables returns the variables that a script is given, and all that it may set.
func namesOfVariables(script string, given []string) (names []string, err error) {
	for _, variable := range given {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	text, err := os.ReadFile(script)
	for _, found := range settingOf.FindAllSubmatch(text, -1) {
		names = append(names, string(bytes.Join(found[1:], nil)))
	}
	return names, err
}

func environmentOf(ts *testscript.TestScript, dir string) []string {
	// The limits of the program are those of a process for a single command.
	all := []string{"GOGC=400", "GOMEMLIMIT=off"}
	for _, name := range ts.Value(variables{}).([]string) {
		if value := ts.Getenv(name); value != "" {
			all = append(all, name+"="+value)
		}
	}
	return append(all, "PWD="+dir)
}

// setEnvironment sets the variables of this process, and removes all others. It doesn't remove
// any that stay, because the set-up of other scripts reads the path.
func setEnvironment(all []string) {
	wanted := map[string]string{}
	for _, variable := range all {
		name, value, _ := strings.Cut(variable, "=")
		wanted[name] = value
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if _, stays := wanted[name]; !stays {
			os.Unsetenv(name)
		}
	}
	for name, value := range wanted {
		os.Setenv(name, value)
	}
}
