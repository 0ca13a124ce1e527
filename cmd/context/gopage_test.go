//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page about Go shows code of the Examples, which are compiled and run.
func TestThePageOnGoQuotesExamples(t *testing.T) {
	files, err := filepath.Glob("../../*/example*_test.go")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	var examples strings.Builder
	for _, file := range files {
		examples.Write(readFile(t, file))
	}
	quotes := 0
	for _, b := range blocksOf(t, "docs/go.md") {
		if b.language != "go" || strings.HasPrefix(b.text, "package main\n") {
			continue
		}
		quotes++
		if !strings.Contains(examples.String(), regexp.MustCompile(`(?m)^.`).ReplaceAllString(b.text, "\t$0")) {
			t.Errorf("no Example contains this:\n%s", b.text)
		}
	}
	if quotes < 5 {
		t.Errorf("only %d quotes were found", quotes)
	}
}

// runProgram builds a cache by the program of the page about Go, and asks it.
func runProgram(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), text)
	writeFile(t, filepath.Join(dir, "docs/Install.md"), "# Install\n\nRun the installer.\n")
	run := "go run " + dir + "/main.go " + dir + "/docs " + dir + "/cache"
	if out := mustRun(t, "../..", run+" 'how do I install it'"); !strings.Contains(out, `"id":"install.md"`) {
		t.Errorf("got %s", out)
	}
	mustRun(t, "../..", "! "+strings.Replace(run, "/docs ", "/missing ", 1)+" question")
}

// getModule checks that the page about Go gets this module.
func getModule(t *testing.T, text string) {
	module := regexp.MustCompile(`(?m)^module (.*)$`).FindSubmatch(readFile(t, "../../go.mod"))
	if want := "go get " + string(module[1]) + "@main\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}
