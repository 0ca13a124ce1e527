package action

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"gopkg.in/yaml.v3"
)

// lint fails the test for each thing that actionlint finds in a workflow.
func lint(t *testing.T, name string, text []byte) {
	t.Helper()
	shellcheck, _ := exec.LookPath("shellcheck")
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: shellcheck})
	if err != nil {
		t.Fatal(err)
	}
	project, err := actionlint.NewProject("../..")
	if err != nil {
		t.Fatal(err)
	}
	found, err := linter.Lint(name, text, project)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		t.Error(e)
	}
}

// actionlint reads workflows only. So it gets a workflow with the inputs and steps of the
// action.
func TestTheActionPassesActionlint(t *testing.T) {
	var a map[string]any
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	inputs := a["inputs"].(map[string]any)
	for _, input := range inputs {
		input.(map[string]any)["type"] = "string"
	}
	runs := a["runs"].(map[string]any)
	workflow, err := yaml.Marshal(map[string]any{
		"on": map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
		"jobs": map[string]any{"action": map[string]any{
			"runs-on": "ubuntu-latest", "steps": runs["steps"],
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	lint(t, "action.yml", workflow)
}

var fencedBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// The workflows of the documentation work. Our release takes the place of theirs.
func TestTheWorkflowsOfTheDocsWork(t *testing.T) {
	r := newRelease(t)
	pins := strings.NewReplacer("version: 0.1.0", "version: 1.2.3", strings.Repeat("0", 64), sum(r["SHA256SUMS"]))
	url := r.serve(t)
	played := 0
	for _, page := range []string{"README.md", "docs/ci.md"} {
		for _, block := range fencedBlock.FindAllStringSubmatch(read(t, "../../"+page), -1) {
			if !strings.Contains(block[1], "jobs:") {
				continue
			}
			played++
			lint(t, page, []byte(block[1]))
			j := newJob(t)
			j.writeDocs()
			j.workflow(pins.Replace(block[1]), url)
		}
	}
	if played != 4 {
		t.Errorf("%d workflows were played, want 4", played)
	}
}

// killBuild is for the environment variable BASH_ENV: the compiler is killed in the middle of shard
// 3.
const killBuild = `context() {
	if [ "$1" != build ]; then command context "$@"; return; fi
	while :; do
		command context "$@" &
		until compgen -G 'shards/.3.context-new/made-by-context-build/new/documents/*' || ! kill -0 $!; do :; done &> /dev/null
		kill -STOP $! &> /dev/null
		if [ ! -e shards/3 ]; then
			kill -KILL $!
			wait $! || { status=$?; echo "exit status $status" >&2; return $status; }
		fi
		kill -CONT $! &> /dev/null # it has finished too soon
		wait $!
		rm -r shards/3
	done
}
`

// The matrix of docs/scale.md makes the cache of a single build, even if a job died and ran again.
func TestTheMatrixOfTheDocsWorks(t *testing.T) {
	block := fencedBlock.FindStringSubmatch(read(t, "../../docs/scale.md"))
	if block == nil {
		t.Fatal("docs/scale.md contains no workflow")
	}
	lint(t, "docs/scale.md", []byte(block[1]))
	var w struct {
		Jobs map[string]struct {
			Needs    string
			Strategy struct {
				FailFast *bool `yaml:"fail-fast"`
				Matrix   struct{ Shard []string }
			}
			Steps []step
		}
	}
	if err := yaml.Unmarshal([]byte(block[1]), &w); err != nil {
		t.Fatal(err)
	}
	jobs := w.Jobs
	if fast := jobs["shard"].Strategy.FailFast; fast == nil || *fast || jobs["merge"].Needs != "shard" {
		t.Fatal("if a shard fails, the other shards must go on, and the merge must wait")
	}
	r := newRelease(t)
	j := newJob(t)
	if pages := os.Getenv("CONTEXT_PAGES"); pages != "" {
		copyTree(t, pages, filepath.Join(j.workspace, "docs"))
	} else {
		for i := range 400 {
			write(t, filepath.Join(j.workspace, fmt.Sprintf("docs/page%d.md", i)), "# Page\n\nInstall it.\n")
		}
	}
	url := r.serve(t)
	build := func(shard string) played {
		for _, s := range jobs["shard"].Steps {
			if strings.HasPrefix(s.Uses, "contextcompiler/context@") {
				inputs := map[string]string{}
				for name, value := range s.With {
					inputs[name] = strings.ReplaceAll(value, "${{ matrix.shard }}", shard)
				}
				inputs["version"], inputs["download-url"] = "1.2.3", url
				return j.play(inputs)
			}
		}
		t.Fatal("no step builds a shard")
		return played{}
	}
	if runtime.GOOS != "windows" { // which cannot stop a process
		script := filepath.Join(t.TempDir(), "env.sh")
		write(t, script, killBuild)
		t.Setenv("BASH_ENV", script)
		build("3").mustFail(t, "exit status 137")
		t.Setenv("BASH_ENV", "")
		if _, err := os.Stat(filepath.Join(j.workspace, "shards/3")); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the build was killed too late: %v", err)
		}
	}
	for _, shard := range jobs["shard"].Strategy.Matrix.Shard {
		build(shard).must(t, "## ")
	}
	for _, s := range jobs["merge"].Steps {
		if s.Run == "" || strings.HasPrefix(s.Run, "go install ") {
			continue
		}
		var p played
		s.Shell, s.Run = "bash", strings.ReplaceAll(s.Run, "~/go/bin/", "")
		if !j.step(s, &p) {
			t.Fatalf("%s failed:\n%s", s.Run, p.log)
		}
	}
	context(t, j.workspace, "build", "--sources", "docs", "--cache", "whole")
	whole, merged := filesOf(t, filepath.Join(j.workspace, "whole")), filesOf(t, filepath.Join(j.workspace, "build/context"))
	if len(whole) < 400 || !maps.Equal(whole, merged) {
		t.Errorf("the merge of %d files differs from the single build of %d files", len(merged), len(whole))
	}
	t.Log(context(t, j.workspace, "inspect", "--cache", "build/context"))
}

// filesOf returns the content of all files below a directory.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[name] = read(t, filepath.Join(dir, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// writeDocs writes the files that the workflows of the documentation name.
func (j *job) writeDocs() {
	j.Helper()
	write(j.T, filepath.Join(j.workspace, "docs/page.md"), "# Page\n\nInstall it.\n")
	write(j.T, filepath.Join(j.workspace, "Contextfile.yml"), "version: 1\ncaches: {docs: {sources: [docs]}}\n")
	write(j.T, filepath.Join(j.workspace, "docs/drafts/draft.md"), "# Draft\n")
	write(j.T, filepath.Join(j.workspace, "reference/markdown/call.md"), "# Call\n")
	write(j.T, filepath.Join(j.workspace, "eval/queries.jsonl"), `{"id": "1", "text": "install"}`+"\n")
	write(j.T, filepath.Join(j.workspace, "eval/qrels.tsv"), "query-id\tcorpus-id\tscore\n1\tpage.md\t1\n")
}

// workflow plays the only job of a workflow, which must pass.
func (j *job) workflow(text, url string) {
	j.Helper()
	var w struct {
		Jobs struct{ Context struct{ Steps []step } }
	}
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		j.Fatal(err)
	}
	for _, s := range w.Jobs.Context.Steps {
		switch action, _, _ := strings.Cut(s.Uses, "@"); action {
		case "actions/checkout":
		case "contextcompiler/context":
			if s.With["check"] == "true" {
				context(j.T, j.workspace, "build")
			}
			s.With["download-url"] = url
			p := j.play(s.With)
			p.must(j.T, "## ", "| build/context")
			for name, value := range p.outputs {
				j.values["steps."+s.ID+".outputs."+name] = value
			}
		case "actions/upload-artifact":
			read(j.T, filepath.Join(j.workspace, s.With["path"], "manifest.json"))
		case "":
			var p played
			s.Shell = "bash"
			if !j.step(s, &p) {
				j.Fatalf("%s failed:\n%s", s.Run, p.log)
			}
		default:
			j.Fatalf("%s cannot be played", s.Uses)
		}
	}
}

// docs/ci.md has the inputs and outputs of the action with their defaults.
func TestThePageHasTheInputsAndOutputs(t *testing.T) {
	_, page, found := strings.Cut(read(t, "../../docs/ci.md"), "\n## The Action\n")
	if page, _, _ = strings.Cut(page, "\n## "); !found {
		t.Fatal("the page has no section about the Action")
	}
	a := readAction(t)
	for name, input := range a.Inputs {
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\| (.*?) \\|").FindStringSubmatch(page)
		if row == nil || !strings.Contains(row[1], input.Default) && name != "download-url" {
			t.Errorf("the page has no input %s with the default %q: %q", name, input.Default, row)
		}
	}
	for name := range a.Outputs {
		if !strings.Contains(page, "\n| `"+name+"` |") {
			t.Errorf("the page has no output %s", name)
		}
	}
	if rows := regexp.MustCompile("(?m)^\\| `").FindAllString(page, -1); len(rows) != len(a.Inputs)+len(a.Outputs) {
		t.Errorf("the page has %d rows, want %d", len(rows), len(a.Inputs)+len(a.Outputs))
	}
}
