package action

import (
	"bytes"
	"fmt"
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

// A composite is an action.yml, as far as its steps are played.
type composite struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct{ Steps []step }
}

type step struct {
	Name, ID, If, Uses, Shell, Run string
	Env, With                      map[string]string
}

// readAction reads the action of this repository.
func readAction(t *testing.T) (a composite) {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// A job plays actions as a runner of GitHub does, in a workspace.
type job struct {
	*testing.T
	workspace string
	kept      map[string]string // by actions/cache: copies of a directory, by their keys
	programs  string            // the PATH before the first step
	os, arch  string            // of the runner, as GitHub names them

	path   []string          // that steps added to PATH
	values map[string]string // of expressions, such as inputs.check
	post   []func()          // the steps after the job, if it passed
}

// newJob returns a job on this machine, with an empty workspace.
func newJob(t *testing.T) *job {
	return &job{
		T: t, workspace: t.TempDir(), kept: map[string]string{}, programs: os.Getenv("PATH"),
		os:   map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[runtime.GOOS],
		arch: map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
	}
}

// A played is the result of an action.
type played struct {
	outputs map[string]string
	log     string // of all steps
	summary string
	passed  bool
}

// play plays the steps of the action with inputs.
func (j *job) play(inputs map[string]string) (p played) {
	j.Helper()
	a := readAction(j.T)
	j.values = map[string]string{"runner.os": j.os, "runner.arch": j.arch}
	j.path, j.post = nil, nil
	for name, input := range a.Inputs {
		j.values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		if _, found := a.Inputs[name]; !found {
			j.Fatalf("the action has no input %s", name)
		}
		j.values["inputs."+name] = value
	}
	p.passed = true
	for _, s := range a.Runs.Steps {
		if s.If != "" && j.evaluate(s.If) != "true" {
			continue
		}
		if p.passed = j.step(s, &p); !p.passed {
			break
		}
	}
	if p.passed {
		for _, do := range j.post {
			do()
		}
	}
	p.outputs = map[string]string{}
	for name, output := range a.Outputs {
		p.outputs[name] = j.expand(output.Value)
	}
	return p
}

// step plays a step, and reports whether it passed.
func (j *job) step(s step, p *played) bool {
	if action, _, _ := strings.Cut(s.Uses, "@"); action == "actions/cache" {
		j.restore(j.expand(s.With["path"]), j.expand(s.With["key"]), j.expand(s.With["restore-keys"]))
		return true
	}
	if s.Uses != "" || s.Shell != "bash" {
		j.Fatalf("%s: only actions/cache and steps of bash can be played, got %q and %q", s.Name, s.Uses, s.Shell)
	}
	dir := j.TempDir()
	script, files := filepath.Join(dir, "script.sh"), map[string]string{}
	write(j.T, script, s.Run)
	cmd := exec.Command(bash(), "--noprofile", "--norc", "-eo", "pipefail", script)
	cmd.Dir, cmd.Env = j.workspace, append(os.Environ(), "GITHUB_WORKSPACE="+j.workspace, "RUNNER_TEMP="+j.TempDir(), "GITHUB_SHA=0")
	for _, name := range []string{"GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"} {
		files[name] = filepath.Join(dir, name)
		write(j.T, files[name], "")
		cmd.Env = append(cmd.Env, name+"="+files[name])
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+j.expand(value))
	}
	cmd.Env = append(cmd.Env, "PATH="+strings.Join(append(j.path, j.programs), string(os.PathListSeparator)))
	log, err := cmd.CombinedOutput()
	p.log += fmt.Sprintf("##[group]%s\n%s", s.Name, log)
	p.summary += read(j.T, files["GITHUB_STEP_SUMMARY"])
	for name, value := range commandFile(j.T, read(j.T, files["GITHUB_OUTPUT"])) {
		j.values["steps."+s.ID+".outputs."+name] = value
	}
	j.path = append(strings.Fields(read(j.T, files["GITHUB_PATH"])), j.path...)
	return err == nil
}

// bash returns the shell of steps. On Windows, that of the system is not the one of Git.
func bash() string {
	if runtime.GOOS == "windows" {
		return `C:\Program Files\Git\bin\bash.exe`
	}
	return "bash"
}

// restore copies the directory that is kept for a key, or for another key with the prefix.
// If the key is new, the job keeps the directory at its end.
func (j *job) restore(path, key, prefix string) {
	path = filepath.Join(j.workspace, path)
	from, hit := j.kept[key]
	if !hit {
		j.post = append(j.post, func() {
			j.kept[key] = filepath.Join(j.TempDir(), "kept")
			copyTree(j.T, path, j.kept[key])
		})
		for other := range j.kept {
			if strings.HasPrefix(other, prefix) {
				from = j.kept[other]
			}
		}
	}
	if from != "" {
		copyTree(j.T, from, path)
	}
}

var assignment = regexp.MustCompile(`(?m)^([a-z-]+)(?:=(.*)|<<END\n((?s:.*?))\nEND)$`)

// commandFile returns the values that a step set in GITHUB_OUTPUT.
func commandFile(t *testing.T, text string) map[string]string {
	t.Helper()
	if rest := assignment.ReplaceAllString(text, ""); strings.TrimSpace(rest) != "" {
		t.Fatalf("%q is no assignment in %q", rest, text)
	}
	values := map[string]string{}
	for _, found := range assignment.FindAllStringSubmatch(text, -1) {
		values[found[1]] = found[2] + found[3]
	}
	return values
}

var expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)

// expand puts values in the place of the expressions in a text.
func (j *job) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		return j.evaluate(expression.FindStringSubmatch(found)[1])
	})
}

func (j *job) evaluate(text string) string {
	parsed, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(text + "}}"))
	if err != nil {
		j.Fatalf("%s: %v", text, err)
	}
	return j.value(parsed)
}

// value returns the value of an expression. The output of a step that was left out is "".
func (j *job) value(node actionlint.ExprNode) string {
	switch n := node.(type) {
	case *actionlint.StringNode:
		return n.Value
	case *actionlint.CompareOpNode:
		if n.Kind == actionlint.CompareOpNodeKindEq || n.Kind == actionlint.CompareOpNodeKindNotEq {
			isEqual := j.value(n.Left) == j.value(n.Right)
			return fmt.Sprint(isEqual == (n.Kind == actionlint.CompareOpNodeKindEq))
		}
	case *actionlint.LogicalOpNode:
		if n.Kind == actionlint.LogicalOpNodeKindAnd {
			return fmt.Sprint(j.value(n.Left) == "true" && j.value(n.Right) == "true")
		}
	case *actionlint.ObjectDerefNode:
		name := nameOf(n)
		value, found := j.values[name]
		if !found && !strings.HasPrefix(name, "steps.") {
			j.Fatalf("there is no value %s", name)
		}
		return value
	}
	j.Fatalf("%T at column %d cannot be played", node, node.Token().Column)
	return ""
}

// nameOf returns the name of a value, with dots.
func nameOf(node actionlint.ExprNode) string {
	switch n := node.(type) {
	case *actionlint.ObjectDerefNode:
		return nameOf(n.Receiver) + "." + n.Property
	case *actionlint.VariableNode:
		return n.Name
	}
	return "?"
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies a directory in the place of another.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
