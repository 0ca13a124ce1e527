// Package tools contains only tests: they check recipes that need the tools of this module.
package tools

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var fencedBlock = regexp.MustCompile("(?ms)^ *```[a-z]+\n(.*?)^ *```$")

// blocksWith returns the blocks of code of a page that contain a text.
func blocksWith(t *testing.T, page, has string) (texts []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range fencedBlock.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(found[1], has) {
			texts = append(texts, found[1])
		}
	}
	return texts
}

// installTools puts the programs for recipes at the front of the path.
func installTools(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	run(t, ".", "go build -buildvcs=false -o "+bin+" github.com/go-task/task/v3/cmd/task github.com/itchyny/gojq/cmd/gojq")
	run(t, "..", "go build -buildvcs=false -o "+bin+" ./cmd/context")
	run(t, bin, "ln -s gojq jq")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// run runs commands, which must succeed, and returns their output.
func run(t *testing.T, dir, commands string) string {
	t.Helper()
	cmd := exec.Command("sh", "-e", "-c", commands)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	return string(out)
}

// The tasks of docs/ci.md build a missing cache, don't touch it while nothing changes, and follow
// the docs.
func TestTheTasksInCIWork(t *testing.T) {
	taskfiles := blocksWith(t, "docs/ci.md", "includes:")
	if len(taskfiles) != 1 {
		t.Fatalf("got %d Taskfiles, want 1", len(taskfiles))
	}
	installTools(t)
	dir := t.TempDir()
	run(t, "..", "cp Taskfile.include.yml "+dir)
	if err := os.WriteFile(filepath.Join(dir, "Taskfile.yml"), []byte(taskfiles[0]), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "mkdir docs; echo '# A' > docs/a.md; task context; task context:check")
	if out := run(t, dir, "task context"); !strings.Contains(out, "up to date") {
		t.Errorf("nothing changed: got %s", out)
	}
	run(t, dir, "echo '# B' > docs/b.md; ! task context:check; task context; task context:check")
	if out := run(t, dir, "context inspect --cache build/context"); !strings.Contains(out, `"document_count": 2`) {
		t.Errorf("got %s", out)
	}
	run(t, dir, "echo b.md > docs/.contextignore; ! task context:check; task context; task context:check")
	run(t, dir, "rm docs/.contextignore docs/b.md; echo '# C' > docs/c.md; task context; task context:check")
	run(t, dir, "rm -r build; task context; task context:check")
	run(t, dir, "rm -r build; sed -i /vars:/d Taskfile.yml; task context; task context:check") // the same by default
}

// docs/install.md includes our tasks from a clone next to the repository, and from a URL.
func TestTheTasksInInstallWork(t *testing.T) {
	taskfiles := blocksWith(t, "docs/install.md", "includes:")
	if len(taskfiles) != 2 {
		t.Fatalf("got %d Taskfiles, want 2", len(taskfiles))
	}
	installTools(t)
	ours := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8") // as GitHub does
		http.ServeFile(w, r, "../Taskfile.include.yml")
	}))
	defer ours.Close()
	t.Setenv("TASK_X_REMOTE_TASKFILES", "1")
	for _, taskfile := range taskfiles {
		parent := t.TempDir()
		dir := filepath.Join(parent, "project")
		run(t, "..", "mkdir -p "+dir+"/docs "+parent+"/context && cp Taskfile.include.yml "+parent+"/context")
		taskfile = strings.Replace(taskfile, "https://raw.githubusercontent.com", ours.URL, 1)
		if err := os.WriteFile(filepath.Join(dir, "Taskfile.yml"), []byte(taskfile), 0o666); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "echo '# A' > docs/a.md; task --yes --insecure context; task --yes --insecure context:check")
		if out := run(t, dir, "context inspect --cache build/context"); !strings.Contains(out, `"document_count": 1`) {
			t.Errorf("got %s", out)
		}
	}
}

// The commands of docs/performance.md measure whole programs. A single round is enough here.
func TestTheRoundsInPerformanceWork(t *testing.T) {
	blocks := blocksWith(t, "docs/performance.md", "task bench:programs")
	if len(blocks) != 1 {
		t.Fatalf("got %d blocks, want 1", len(blocks))
	}
	t.Setenv("OUT", filepath.Join(t.TempDir(), "rounds.txt"))
	tables := run(t, "..", strings.ReplaceAll(blocks[0], "-n 10", "-n 1"))
	for _, column := range []string{"floor", "selection1", "rebuild", "resolve1"} {
		if !strings.Contains(tables, column) {
			t.Errorf("no column %s in %s", column, tables)
		}
	}
}

// All tasks named in pages exist. Tasks of the README itself are the tasks it includes.
func TestTheTasksThatPagesNameExist(t *testing.T) {
	tasks := run(t, "..", "go tool -modfile=tools/go.mod task --list-all")
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 3 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range regexp.MustCompile("`task ([a-z:]+[a-z])").FindAllStringSubmatch(string(text), -1) {
			if task[1] != "context" && task[1] != "context:check" && !strings.Contains(tasks, "* "+task[1]+": ") {
				t.Errorf("%s: there is no task %s", page, task[1])
			}
		}
	}
}

// A contributor can run the commands of CONTRIBUTING.md: the test runs the quick commands, and the
// others must name existing tasks and tests.
func TestTheCommandsInCONTRIBUTINGWork(t *testing.T) {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile("(?m)^go tool .* task --list").FindString(string(text))
	tasks := run(t, "..", list)
	named := regexp.MustCompile(`\btask ([a-z:]+[a-z])`).FindAllStringSubmatch(string(text), -1)
	for _, task := range named {
		if !strings.Contains(tasks, "* "+task[1]+": ") {
			t.Errorf("there is no task %s", task[1])
		}
	}
	tests := regexp.MustCompile(`go test (\S+)\s+-run ([A-Z]\w+)`).FindAllStringSubmatch(string(text), -1)
	for _, test := range tests {
		if out := run(t, "..", "go test "+test[1]+" -list "+test[2]); !strings.HasPrefix(out, "Test") {
			t.Errorf("%s: missing test %s: %s", test[1], test[2], out)
		}
	}
	if len(named) < 4 || len(tests) < 2 {
		t.Errorf("only %d tasks and %d tests were found", len(named), len(tests))
	}
}

// The benchmarks requested in CONTRIBUTING.md produce a table. A single run of a single benchmark
// is enough here.
func TestTheBenchmarksInCONTRIBUTINGWork(t *testing.T) {
	blocks := blocksWith(t, "CONTRIBUTING.md", "go test ./bench")
	if len(blocks) != 1 {
		t.Fatalf("got %d blocks, want 1", len(blocks))
	}
	old, new := filepath.Join(t.TempDir(), "old.txt"), filepath.Join(t.TempDir(), "new.txt")
	table := run(t, "..", strings.NewReplacer("-bench .", "-bench Stages", "-count 10", "-benchtime 1x",
		"# change something", "cp "+old+" "+new+" #", "old.txt", old, "new.txt", new).Replace(blocks[0]))
	if !strings.Contains(table, "sec/op") {
		t.Errorf("got %s", table)
	}
}

// The commands of docs/format.md say nothing of a sound cache and name damaged files.
func TestOtherToolsCheckACache(t *testing.T) {
	checks := blocksWith(t, "docs/format.md", "jq")
	if len(checks) != 2 {
		t.Fatalf("got %d checks, want 2", len(checks))
	}
	installTools(t)
	dir := t.TempDir()
	run(t, dir, "mkdir docs; echo '# A' > docs/a.md; echo '# Ä' > docs/b.md; context build --sources docs --cache cache")
	cache := filepath.Join(dir, "cache")
	if out := run(t, cache, checks[0]); out != "" {
		t.Errorf("a sound cache: got %s", out)
	}
	sum, _, _ := strings.Cut(run(t, cache, checks[1]), " ")
	if out := run(t, dir, "context inspect --cache cache"); !strings.Contains(out, `"sha256:`+sum+`"`) {
		t.Errorf("got %s, want %s", out, sum)
	}
	run(t, cache, "sed -i 's/# A/# B/' documents/*.json")
	if out := run(t, cache, checks[0]); strings.Count(out, "damaged: ") != 1 {
		t.Errorf("a damaged cache: got %s", out)
	}
}

// What tasks and workflows run is where they look for it.
func TestTasksAndWorkflowsRunFilesThatExist(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range append(files, "../Taskfile.yml", "../.github/dependabot.yml", "../.goreleaser.yaml", "README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range regexp.MustCompile(`\b(?:tools|bench)/[\w./-]*\w|\.ci/\w+`).FindAllString(string(text), -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", path)); err != nil && !strings.HasPrefix(path, "tools/call") && path != "tools/list" {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d paths were found", found)
	}
}
