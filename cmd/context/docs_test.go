//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consoleBlock is a block of commands and what they print.
var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// What pages show is what a reader gets: every command of every console block is
// run, the blocks of a page one after another in one directory, and must print
// what stands below it.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	for page, least := range map[string]int{"README.md": 5, "docs/evaluation.md": 10} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../..", page))
			if err != nil {
				t.Fatal(err)
			}
			if n := runConsole(t, string(text), t.TempDir()); n < least {
				t.Errorf("only %d commands were found", n)
			}
		})
	}
}

// runConsole runs the commands of a page in dir, and returns how many it has.
func runConsole(t *testing.T, text, dir string) (commands int) {
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		for _, step := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(step, "\n")
			run := exec.Command("sh", "-c", command)
			run.Dir = dir
			got, err := run.CombinedOutput()
			if err != nil || strings.TrimRight(string(got), "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("%s: %v\n got %s\nwant %s", command, err, got, want)
			}
			commands++
		}
	}
	return commands
}

// The exit statuses in README are those of `context --help`.
func TestREADMEListsTheExitStatusesOfTheHelp(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command("context", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	statuses := regexp.MustCompile(`(?m)^  (\d+) +(\S.*)$`).FindAllStringSubmatch(string(help), -1)
	if len(statuses) < 9 {
		t.Fatalf("only %d statuses are in the help", len(statuses))
	}
	for _, s := range statuses {
		if row := "| " + s[1] + " | " + s[2] + " |"; !strings.Contains(string(text), row) {
			t.Errorf("README lacks %q", row)
		}
	}
}

// Every flag and command that the documentation names exists.
func TestDocumentationNamesFlagsThatExist(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	var help strings.Builder
	for _, command := range []string{"build", "resolve", "explain", "eval", "inspect", "verify", "serve", "man", "init", "status", "rehash", "validate", "show"} {
		out, err := exec.Command("context", command, "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		help.Write(out)
	}
	for _, file := range append(files, "../../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range regexp.MustCompile("`(--[a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(help.String(), flag[1]) {
				t.Errorf("%s: no command has %s", file, flag[1])
			}
		}
	}
}
