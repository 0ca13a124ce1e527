//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/docs"
	"github.com/contextcompiler/context/fault"
)

// A recipe is a block of code that a reader may paste, and how it is tried.
type recipe struct {
	page, language, has string
	try                 func(t *testing.T, block string) // nil if another test does
}

var recipes = []recipe{
	{"README.md", "sh", "git clone", startFromClone},
	{"README.md", "sh", "context build --sources docs", askDocs},
	{"README.md", "sh", "go install ./cmd/...", installHere},
	{"README.md", "console", "", nil}, // TestPagesShowWhatCommandsPrint
	{"README.md", "yaml", "caches:", checkTargets},
	{"README.md", "sh", "context client", printConfigurations},
	{"CONTRIBUTING.md", "sh", "go test ./... ", nil}, // the test of module tools
	{"CONTRIBUTING.md", "sh", "go test ./bench ", nil},
	{"docs/agents.md", "sh", "context serve --cache build/context --project .", nil}, // TestTheServersOfThePageAnswer
	{"docs/agents.md", "sh", "--http", nil},
	{"docs/agents.md", "sh", "curl", nil},
	{"docs/agents.md", "json", `"url"`, nil},
	{"docs/agents.md", "sh", "go install ./cmd/...", installHere},
	{"docs/agents.md", "sh", "context client cursor --cache", connectTwo},
	{"docs/agents.md", "sh", "context client", connectDocs},
	{"docs/agents.md", "json", "mcpServers", startFromJSON},
	{"docs/web.md", "sh", "", nil},         // TestServeOpensThePage
	{"docs/agents.md", "console", "", nil}, // TestPagesShowWhatCommandsPrint
	{"docs/ci.md", "sh", "context check", buildAndCheck},
	{"docs/ci.md", "yaml", "context push", parseYAML},
	{"docs/ci.md", "yaml", "context report", nil}, // the script report_into
	{"docs/ci.md", "yaml", "jobs:", nil},          // the test of tools/action
	{"docs/ci.md", "yaml", "includes:", nil},      // the test of module tools, which has Task
	{"docs/ci.md", "yaml", "repos:", runHooks},
	{"docs/ci.md", "console", "", nil}, // TestPagesShowWhatCommandsPrint
	{"docs/contextfile.md", "yaml", "package:", refuseUnfetched},
	{"docs/contextfile.md", "yaml", "from:", refuseUnfetched},
	{"docs/contextfile.md", "sh", "context add", nil}, // the script shared
	{"docs/contextfile.md", "yaml", "convert:", refuseUntrusted},
	{"docs/contextfile.md", "sh", "context trust", nil}, // the script trust
	{"docs/contextfile.md", "sh", "npm ci", nil},        // the script packages does the same without a registry
	{"docs/contextfile.md", "sh", "context fetch", nil}, // the script fetch
	{"docs/contextfile.md", "yaml", "caches:", buildTargets},
	{"docs/contextfile.md", "console", "", nil}, // TestPagesShowWhatCommandsPrint
	{"docs/contexts.md", "console", "", nil},    // TestPagesShowWhatCommandsPrint
	{"docs/contexts.md", "yaml", "fingerprint:", validateContext},
	{"docs/contexts.md", "yaml", "min_tokens:", validateConfig},
	{"docs/contexts.md", "sh", "git add -A", nil}, // TestContextsAreKeptByAHook
	{"docs/contexts.md", "sh", "git checkout-index", nil},
	{"docs/contexts.md", "sh", "context validate --strict ", nil},
	{"docs/contract.md", "json", "", parseJSON},
	{"docs/distribution.md", "sh", "", nil}, // the script push does the same; cosign and skopeo are not ours
	{"docs/distribution.md", "yaml", "", parseYAML},
	{"docs/evaluation.md", "console", "", nil},   // TestPagesShowWhatCommandsPrint
	{"docs/format.md", "sh", "jq", nil},          // the test of module tools, which has a jq
	{"docs/format.md", "python", "hashlib", nil}, // TestShardsAreFrozen
	{"docs/go.md", "sh", "go get", getModule},
	{"docs/go.md", "go", "package main", runProgram},
	{"docs/go.md", "go", "", nil},                          // TestThePageOnGoQuotesExamples
	{"docs/install.md", "sh", "npm install --global", nil}, // `task npm` runs these two
	{"docs/install.md", "sh", "npx", nil},
	{"docs/install.md", "yaml", "includes:", nil},             // the test of module tools, which has Task
	{"docs/performance.md", "sh", "task bench:programs", nil}, // the test of module tools
	{"docs/releases.md", "sh", "sha256sum", nil},              // tools/release/check
	{"docs/releases.md", "sh", "task release:snapshot", nil},  // tasks, and the test of module tools
	{"docs/scale.md", "sh", "seq 8", mergeShards},
	{"docs/scale.md", "sh", "seq 4", mergeTarget},
	{"docs/scale.md", "sh", "guide=", mergeTeams},
	{"docs/scale.md", "yaml", "jobs:", nil}, // the test of tools/action
	{"docs/scale.md", "sh", "#SBATCH", nil}, // task slurm runs these two
	{"docs/scale.md", "sh", "sbatch --parsable", nil},
	{"docs/scale.md", "yaml", "kind: Job", nil}, // the test of module tools, which has the types
	{"docs/scale.md", "nix", "shards = 8", nil}, // task nix:shards runs these two
	{"docs/scale.md", "sh", "nix-build", nil},
	{"docs/tutorial.md", "console", "", nil},              // TestPagesShowWhatCommandsPrint
	{"docs/sandboxes.md", "python", "context_cache", nil}, // task bazel
	{"docs/sandboxes.md", "nix", "context.nix", nil},      // task nix
}

// A block is one of code in a page.
type block struct{ page, language, text string }

var fencedBlock = regexp.MustCompile("(?ms)^ *```([a-z]+)\n(.*?)^ *```$")

// blocksOf returns the blocks of a page that have a language.
func blocksOf(t *testing.T, page string) (blocks []block) {
	t.Helper()
	for _, found := range fencedBlock.FindAllStringSubmatch(string(readFile(t, filepath.Join("../..", page))), -1) {
		blocks = append(blocks, block{page, found[1], found[2]})
	}
	return blocks
}

func TestEveryBlockOfCodeIsTried(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 3 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	tried := make([]bool, len(recipes))
	t.Setenv("GOBIN", filepath.Join(t.TempDir(), "bin")) // of all recipes, because linking takes seconds
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		page, _ = filepath.Rel("../..", page)
		for _, b := range blocksOf(t, filepath.ToSlash(page)) {
			i := slices.IndexFunc(recipes, func(r recipe) bool {
				return r.page == b.page && r.language == b.language && strings.Contains(b.text, r.has)
			})
			if i < 0 {
				t.Errorf("%s: no test tries this %s:\n%s", b.page, b.language, b.text)
				continue
			}
			tried[i] = true
			if recipes[i].try != nil {
				t.Run(b.page+" "+recipes[i].has, func(t *testing.T) { recipes[i].try(t, b.text) })
			}
		}
	}
	for i, r := range recipes {
		if !tried[i] {
			t.Errorf("%s has no %s with %q", r.page, r.language, r.has)
		}
	}
}

// A reader gets the output that a page shows. The test runs every command of every
// console block, the blocks of a page in order and in one directory.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	for page, least := range map[string]int{"README.md": 6, "docs/agents.md": 15, "docs/ci.md": 3, "docs/contextfile.md": 4, "docs/contexts.md": 6, "docs/evaluation.md": 10, "docs/tutorial.md": 12} {
		t.Run(page, func(t *testing.T) {
			dir, commands := t.TempDir(), 0
			for _, b := range blocksOf(t, page) {
				if b.language == "console" {
					commands += runConsole(t, b.text, dir)
				}
			}
			if commands < least {
				t.Errorf("only %d commands were found", commands)
			}
		})
	}
}

// A reader can paste the commands of the demo beside the docs.
func TestTheDemoCanBePasted(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs"), docs.Files); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), docs.Contextfile)
	if docs.Contextfile != string(readFile(t, "../../Contextfile.yml")) {
		t.Error("the demo has another Contextfile.yml than the repository")
	}
	shown, _, _ := strings.Cut(printed(t, "demo"), "\nThe directory of this demo")
	if commands := runConsole(t, shown, dir); commands != 4 {
		t.Errorf("got %d commands, want 4", commands)
	}
}

// runConsole runs the commands of a console block in dir, and returns how many it
// has.
func runConsole(t *testing.T, text, dir string) (commands int) {
	t.Helper()
	for _, step := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, want, _ := strings.Cut(step, "\n")
		run := groupCommand(t, "sh", "-c", command)
		run.Dir = dir
		got, err := run.CombinedOutput()
		if err != nil || strings.TrimRight(string(got), "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s: %v\n got %s\nwant %s", command, err, got, want)
		}
		commands++
	}
	return commands
}

// askDocs runs the commands of a block beside a directory of docs.
func askDocs(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/Start.md"), "# Start\n\nTo install it, run the installer.\n")
	writeFile(t, filepath.Join(dir, "docs/stop.md"), "# Stop\n\nPress a key.\n")
	out := mustRun(t, dir, text)
	if !strings.Contains(out, " Start.md:1-3 ") || strings.Contains(out, "stop.md") {
		t.Errorf("got %s", out)
	}
}

// mergeShards compares the merge of a block with a single build.
func mergeShards(t *testing.T, text string) {
	dir := t.TempDir()
	for _, page := range []string{"a.md", "guide/b.md", "c.md"} {
		writeFile(t, filepath.Join(dir, "docs", page), "# Page\n")
	}
	mustRun(t, dir, text)
	mustRun(t, dir, "context build --sources docs --cache whole && diff -r whole build/context")
}

func mergeTarget(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), "version: 1\ncaches:\n  docs: {sources: [docs]}\n")
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# Page\n")
	mustRun(t, dir, text)
}

func mergeTeams(t *testing.T, text string) {
	dir := t.TempDir()
	for _, team := range []string{"guide", "api"} {
		writeFile(t, filepath.Join(dir, team, "docs/a.md"), "# Page\n")
		mustRun(t, dir, "context build --sources "+team+"/docs --cache "+team+"/cache --description "+team)
	}
	mustRun(t, dir, text+"context build --sources guide=guide/docs --sources api/v2=api/docs --cache whole --description 'All our docs'\ndiff -r whole build/context")
}

// connectDocs runs the commands of a block in a project with documentation, then starts the
// server that the last of them configures.
func connectDocs(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/start.md"), "# Start\n\nTo install it, run the installer.\n")
	out := mustRun(t, dir, text)
	if !strings.Contains(out, " start.md:1-3 ") {
		t.Errorf("got %s", out)
	}
	line := out[strings.LastIndex(out, "claude mcp add"):]
	if got := serverOf(t, line).callCaches(t); !strings.HasPrefix(got, "- docs: 1 page, 1 section") {
		t.Errorf("got %s", got)
	}
}

// printConfigurations runs the commands of a block, and starts the server that each of them
// configures.
func printConfigurations(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	mustRun(t, dir, "context build --sources docs --cache build/context/docs") // as the page says before
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines[1:] {
		if got := serverOf(t, mustRun(t, dir, line)).callCaches(t); !strings.HasPrefix(got, "- docs: 1 page, 1 section") {
			t.Errorf("%s: got %s", line, got)
		}
	}
	if out := mustRun(t, dir, lines[0]); !strings.Contains(out, "\ncursor ") {
		t.Errorf("%s: got %s", lines[0], out)
	}
}

// connectTwo builds the caches that a block names, and starts the server that it configures.
func connectTwo(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# A\n")
	for _, name := range []string{"guide", "api"} {
		mustRun(t, dir, "context build --sources docs --cache build/context/"+name)
	}
	got := serverOf(t, mustRun(t, dir, text)).callCaches(t)
	if !strings.HasPrefix(got, "- api: 1 page, 1 section") || !strings.Contains(got, "\n- guide: 1 page, 1 section") {
		t.Errorf("got %s", got)
	}
}

// buildTargets builds the targets of a Contextfile beside the directories that it names.
func buildTargets(t *testing.T, text string) {
	dir := t.TempDir()
	for _, page := range []string{"project/docs/a.mdx", "project/docs/internal/b.md", "api/reference/c.md", "project/handbook/d.md"} {
		writeFile(t, filepath.Join(dir, page), "# Page\n")
	}
	writeFile(t, filepath.Join(dir, "project/Contextfile.yml"), text)
	mustRun(t, filepath.Join(dir, "project"), "context build")
	index := string(readFile(t, filepath.Join(dir, "project/build/context/docs/index.json")))
	if !strings.Contains(index, `"a.mdx"`) || !strings.Contains(index, `"api/c.md"`) || strings.Contains(index, "internal") {
		t.Errorf("got %s", index)
	}
}

// refuseUnfetched reads a file whose sources are elsewhere: it's valid, but nothing is pinned.
func refuseUnfetched(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), text)
	cmd := exec.CommandContext(t.Context(), "context", "fetch", "--frozen")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	want := "Contextfile.lock does not list https://github.com/kubernetes/website at release-1.35"
	if strings.Contains(text, "from:") {
		want = "Contextfile.lock does not list oci://ghcr.io/example/docs/platform:2026.11"
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != fault.Stale.ExitStatus() || !strings.Contains(string(out), want) {
		t.Errorf("got %v and %s, want exit status %d and %q", err, out, fault.Stale.ExitStatus(), want)
	}
}

// refuseUntrusted reads a file with commands: it's valid, but nothing may run.
func refuseUntrusted(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), text)
	writeFile(t, filepath.Join(dir, "docs/conf.py"), "")
	cmd := exec.CommandContext(t.Context(), "context", "build")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_STATE_HOME="+dir, "CONTEXT_STORE="+filepath.Join(dir, "store"))
	out, err := cmd.CombinedOutput()
	const want = "the command `sphinx-build -q -b html . {out}` is not trusted"
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != fault.IO.ExitStatus() || !strings.Contains(string(out), want) {
		t.Errorf("got %v and %s, want exit status %d and %q", err, out, fault.IO.ExitStatus(), want)
	}
}

// buildAndCheck runs the commands of a job. When they pass, the last one fails for new pages.
func buildAndCheck(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), "version: 1\ncaches:\n  docs: {sources: [docs]}\n")
	writeFile(t, filepath.Join(dir, "docs/a.md"), "# Page\n")
	mustRun(t, dir, text)
	writeFile(t, filepath.Join(dir, "docs/b.md"), "# Page\n")
	mustRun(t, dir, "! context check")
}

// startFromClone runs the commands of a block that a fresh machine needs, as if this clone
// were the one that it makes. CI runs the command of the tests, so it is not run here again.
func startFromClone(t *testing.T, text string) {
	module := regexp.MustCompile(`(?m)^module (.*/(.*))$`).FindStringSubmatch(string(readFile(t, "../../go.mod")))
	var commands []string
	for line := range strings.Lines(text) {
		command, _, _ := strings.Cut(line, "#")
		commands = append(commands, strings.TrimSpace(command))
	}
	clone := []string{"git clone https://" + module[1], "cd " + module[2]}
	if len(commands) != 4 || !slices.Equal(commands[:2], clone) {
		t.Fatalf("got %q, want %q, the command of a demo and that of the tests", commands, clone)
	}
	installPlace(t)
	if out := mustRun(t, "../..", commands[2]); !strings.Contains(out, "context build") {
		t.Errorf("%s: got %s", commands[2], out)
	}
	if ci := string(readFile(t, "../../.ci/run")); !strings.Contains(ci, "\n"+commands[3]+"\n") {
		t.Errorf(".ci/run does not run %s", commands[3])
	}
}

// installHere runs the commands of a block in the clone, with a place of their own
// to install in.
func installHere(t *testing.T, text string) {
	mustRun(t, "../..", strings.ReplaceAll(text, "$(go env GOPATH)", filepath.Dir(installPlace(t))))
}

// installPlace puts the directory that `go install` installs into first on the path,
// and returns it.
func installPlace(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("GOBIN")
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -buildvcs=false -ldflags=-s") // the clone may be another user's
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return bin
}

// mustRun runs commands as CI does: the first that fails is the last.
func mustRun(t *testing.T, dir, commands string) string {
	t.Helper()
	const follow = `cd() { command cd -P "$@"; }` // compiled packages are found by the real path
	run := groupCommand(t, "sh", "-e", "-c", follow+"\n"+commands)
	run.Dir = dir
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", commands, err, &stdout, &stderr)
	}
	return stdout.String()
}

// A hook is one of pre-commit.
type hook struct {
	ID, Entry string
	Args      []string
}

// runHooks runs the hooks of a set-up in a project: they pass, and each finds its
// fault. `task hooks` runs pre-commit itself.
func runHooks(t *testing.T, text string) {
	var setUp struct {
		Repos []struct{ Hooks []hook }
	}
	if err := yaml.Unmarshal([]byte(text), &setUp); err != nil {
		t.Fatal(err)
	}
	var defined []hook
	if err := yaml.Unmarshal(readFile(t, "../../.pre-commit-hooks.yaml"), &defined); err != nil {
		t.Fatal(err)
	}
	faults := map[string]string{
		"context-build":    "echo '# More' >> docs/page.md",
		"context-validate": "echo 'version: 2' > docs/.context.yaml",
		"context-status":   "echo '// more' >> src/main.go",
	}
	if len(setUp.Repos) != 1 || len(setUp.Repos[0].Hooks) != len(defined) || len(defined) != len(faults) {
		t.Fatalf("got %+v, want the %d hooks of %+v", setUp, len(faults), defined)
	}
	for _, used := range setUp.Repos[0].Hooks {
		i := slices.IndexFunc(defined, func(h hook) bool { return h.ID == used.ID })
		if i < 0 {
			t.Fatalf("there is no hook %s", used.ID)
		}
		if used.Args == nil {
			used.Args = defined[i].Args
		}
		command := defined[i].Entry + " " + strings.Join(used.Args, " ")
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "docs/page.md"), "# Page\n")
		writeFile(t, filepath.Join(dir, "src/main.go"), "package main\n"+strings.Repeat("// text\n", 4096))
		mustRun(t, dir, "context build --sources docs --cache build/context; context init --content; "+command)
		mustRun(t, dir, faults[used.ID]+"; ! "+command)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A server is the part of a client's settings that starts one.
type server struct {
	Command string
	Args    []string
}

func startFromJSON(t *testing.T, text string) {
	var settings map[string]map[string]server
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		t.Fatal(err)
	}
	for _, servers := range settings {
		servers["context"].start(t)
	}
}

// start starts the server with a cache, and asks what caches there are.
func (s server) start(t *testing.T) {
	t.Helper()
	const program, cache = "/usr/local/bin/context", "/srv/caches/docs"
	args := slices.Clone(s.Args)
	at := slices.Index(args, cache)
	if at < 0 || s.Command != program {
		t.Fatalf("%s %q do not name %s and %s", s.Command, args, program, cache)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "sources/a.md"), "# A\n")
	args[at] = filepath.Join(dir, "docs")
	mustRun(t, dir, "context build --sources sources --cache docs")
	cmd := exec.Command("context", args...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"context_caches"}}` + "\n")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "- docs: 1 page, 1 section") {
		t.Errorf("%s %q: %v, %s", s.Command, args, err, out)
	}
}

// checkTargets builds the targets of a Contextfile and checks them: they pass, and find a
// page that changed and answers that got worse.
func checkTargets(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Contextfile.yml"), text)
	writeFile(t, filepath.Join(dir, "docs/install.md"), "# Install\n\nRun the installer.\n")
	writeFile(t, filepath.Join(dir, "eval/queries.jsonl"), `{"id": "1", "text": "run the installer"}`+"\n")
	writeFile(t, filepath.Join(dir, "eval/qrels.tsv"), "1\tinstall\t1\n")
	mustRun(t, dir, "context build && context check && context ask 'how do I install it' | grep installer")
	mustRun(t, dir, "mv docs/install.md docs/other.md; ! context check")
	mustRun(t, dir, "context build; ! context check")
}

func parseJSON(t *testing.T, text string) {
	if !json.Valid([]byte(text)) {
		t.Error("it is not JSON")
	}
}

func parseYAML(t *testing.T, text string) {
	var value map[string]any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil || len(value) == 0 {
		t.Errorf("it is not YAML: %v", err)
	}
}

// validateContext makes the file that is shown one of a project.
func validateContext(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "src/core/.context.yaml"), text)
	if out := printed(t, "validate", "--path", dir); !strings.HasPrefix(out, "1 valid, 0 invalid, ") {
		t.Errorf("got %s", out)
	}
}

func validateConfig(t *testing.T, text string) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".context.config.yaml"), text)
	if out := printed(t, "validate", "--path", dir); !strings.HasPrefix(out, "0 valid, 0 invalid, ") {
		t.Errorf("got %s", out)
	}
}

// A repository that follows docs/contexts.md has fresh contexts in every commit
// and every clone.
func TestContextsAreKeptByAHook(t *testing.T) {
	var describe, hook, check string
	for _, b := range blocksOf(t, "docs/contexts.md") {
		switch {
		case strings.Contains(b.text, "git checkout-index"):
			hook = b.text
		case strings.Contains(b.text, "git add -A"):
			describe = b.text
		case strings.Contains(b.text, "context validate --strict "):
			check = b.text
		}
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+role+"_NAME", "Test")
		t.Setenv("GIT_"+role+"_EMAIL", "test@example.com")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "src/main.go"), "package main\n"+strings.Repeat("// text\n", 4096))
	mustRun(t, dir, "git init -q")
	mustRun(t, dir, describe)
	writeFile(t, filepath.Join(dir, ".git/hooks/pre-commit"), hook)
	mustRun(t, dir, "chmod +x .git/hooks/pre-commit")
	mustRun(t, dir, "echo '// more' >> src/main.go; git add -A; ! git commit -qm Stale 2> said; grep -q 'context rehash' said; rm said")
	mustRun(t, dir, "context rehash; git add -A; git commit -qm Fresh")
	mustRun(t, dir, "git clone -q . clone; cd clone; "+check)
}
