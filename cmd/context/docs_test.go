//go:build unix

package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// docs/contract.md lists the exit statuses of `context --help`, with the names of the codes.
func TestTheContractListsTheExitStatusesOfTheHelp(t *testing.T) {
	page := string(readFile(t, "../../docs/contract.md"))
	_, page, _ = strings.Cut(page, "\n## Exit status\n")
	page, _, _ = strings.Cut(page, "\n## ")
	var want, got []string
	for _, status := range regexp.MustCompile(`(?m)^  (\d+) +\S`).FindAllStringSubmatch(printed(t, "--help"), -1) {
		want = append(want, status[1])
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (\\d+) \\| (?:`(\\w+)`)? *\\|").FindAllStringSubmatch(page, -1) {
		got = append(got, row[1])
		if number, _ := strconv.Atoi(row[1]); row[2] != "" && fault.Code(number).String() != row[2] {
			t.Errorf("status %s has the code %s, want %s", row[1], row[2], fault.Code(number))
		}
	}
	if len(want) < 9 || !slices.Equal(got, want) {
		t.Errorf("got the statuses %v, want %v", got, want)
	}
}

// Every flag and command that the documentation names exists.
func TestDocumentationNamesFlagsThatExist(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	var help strings.Builder
	help.WriteString(printed(t, "--help"))
	commands := [][]string{{"", "store gc"}}
	for _, command := range append(commands, regexp.MustCompile(`(?m)^  ([a-z]+) `).FindAllStringSubmatch(printed(t, "help", "commands"), -1)...) {
		out, err := exec.Command("context", append([]string{"help"}, strings.Fields(command[1])...)...).Output()
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

// pageLink is a relative link.
var pageLink = regexp.MustCompile(`\]\(([^):\s]+)\)`)

// Every relative link of the documentation leads to a file of the repository and, with a
// fragment, to a heading there.
func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	found := 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		for _, link := range pageLink.FindAllStringSubmatch(string(readFile(t, file)), -1) {
			found++
			path, anchor, _ := strings.Cut(link[1], "#")
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", file, err)
			} else if anchor != "" && !hasAnchor(t, target, anchor) {
				t.Errorf("%s: %s has no heading #%s", file, target, anchor)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d links were found", found)
	}
}

// A reader reaches every page from README and the list of pages, in at most three clicks.
func TestEveryPageIsReachable(t *testing.T) {
	const clicks = 3
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 3 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	reached := map[string]bool{"../../README.md": true}
	for range clicks {
		for page := range maps.Clone(reached) {
			for _, link := range pageLink.FindAllStringSubmatch(string(readFile(t, page)), -1) {
				path, _, _ := strings.Cut(link[1], "#")
				if strings.HasSuffix(path, ".md") {
					reached[filepath.Join(filepath.Dir(page), path)] = true
				}
			}
		}
	}
	for _, page := range append(pages, "../../CONTRIBUTING.md", "../../SECURITY.md", "../../CHANGELOG.md") {
		if !reached[page] {
			t.Errorf("no page leads to %s", page)
		}
	}
	index := string(readFile(t, "../../docs/README.md"))
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(index, "]("+name) {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

func hasAnchor(t *testing.T, page, anchor string) bool {
	t.Helper()
	return slices.ContainsFunc(markdown.Parse(readFile(t, page)).Blocks, func(b markdown.Block) bool { return b.Anchor == anchor })
}

// The hook that docs/contexts.md shows refuses a commit with a stale context. It
// sees no file that git ignores.
func TestTheDocumentedHookSeesWhatIsCommitted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("git is missing: %v", err)
	}
	text, err := os.ReadFile("../../docs/contexts.md")
	if err != nil {
		t.Fatal(err)
	}
	hook := regexp.MustCompile("(?ms)^```sh\n(#!/bin/sh\n.*?)^```$").FindStringSubmatch(string(text))
	if hook == nil {
		t.Fatal("docs/contexts.md shows no hook")
	}
	dir := t.TempDir()
	run := func(command string) error {
		cmd := groupCommand(t, "sh", "-ec", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOOK="+hook[1], "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		t.Logf("%s\n%s", command, out)
		return err
	}
	for _, step := range []struct {
		name, command string
		refused       bool
	}{
		{"first commit", `git init -q
			mkdir src && echo package src > src/a.go && echo min_tokens: 0 > .context.config.yaml
			printf '.env\n.DS_Store\n' > .gitignore && echo SECRET=1 > .env && echo SECRET=2 > src/.env
			printf "%s" "$HOOK" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
			context init --content && git add -A && git commit -q -m "Describe the directories"`, false},
		{"a file that git ignores", `echo x > src/.DS_Store && echo SECRET=3 > .env
			git commit -q --allow-empty -m nothing`, false},
		{"a change without its context", `echo package other > src/a.go && git add -A && git commit -q -m stale`, true},
		{"a change with its context", `context rehash && git add -A && git commit -q -m fresh`, false},
		{"a new directory", `mkdir new && echo package new > new/b.go && git add -A && git commit -q -m new`, true},
		{"a new directory with its context", `context init && context rehash && git add -A && git commit -q -m new`, false},
		{"a clone", `git clone -q . clone && context status --exit-code --path clone`, false},
	} {
		if err := run(step.command); (err != nil) != step.refused {
			t.Fatalf("%s: got %v, want it refused: %t", step.name, err, step.refused)
		}
	}
}

// GitHub ignores a form with a field that it does not know.
func TestTheIssueFormsAreForms(t *testing.T) {
	type text struct{ Label, Description, Placeholder, Render, Value string }
	type form struct {
		Name, Description string
		Labels            []string
		Body              []struct {
			Type, ID    string
			Attributes  text
			Validations struct{ Required bool }
		}
	}
	for _, name := range []string{"bug", "feature"} {
		var f form
		decoder := yaml.NewDecoder(bytes.NewReader(readFile(t, "../../.github/ISSUE_TEMPLATE/"+name+".yml")))
		decoder.KnownFields(true)
		if err := decoder.Decode(&f); err != nil || f.Name == "" || f.Description == "" || len(f.Body) < 3 {
			t.Fatalf("%s: %v, %+v", name, err, f)
		}
		ids := map[string]bool{}
		for _, field := range f.Body {
			switch field.Type {
			case "markdown":
				continue
			case "input", "textarea":
			default:
				t.Errorf("%s: %q is no field of a form", name, field.Type)
			}
			if field.Attributes.Label == "" || field.ID == "" || ids[field.ID] {
				t.Errorf("%s: field %q lacks a label, or an ID of its own", name, field.ID)
			}
			ids[field.ID] = true
		}
	}
}
