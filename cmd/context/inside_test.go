//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/contextcompiler/context/cli"
	"github.com/contextcompiler/context/internal/effort"
)

// startsAll says that scripts start a process for each command, as users do. Otherwise, the
// command exits runs the program inside of the process of the tests, which takes a tenth of
// the time.
var startsAll = effort.Cases(1, 0) > 0

// inside guards the working directory and the environment, because a process has only one of
// each. The programs that other scripts start meanwhile get their own.
var inside sync.Mutex

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

var settingLine = regexp.MustCompile(`\b(?:env (\w+)=|setbytes (\w+) )`)

// namesOfVariables returns the variables that a script is given, and those that it sets.
func namesOfVariables(script string, given []string) (names []string, err error) {
	for _, variable := range given {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	text, err := os.ReadFile(script)
	for _, found := range settingLine.FindAllSubmatch(text, -1) {
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
