package action

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// workflows returns the workflows of this repository, by their paths.
func workflows(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../../.github/workflows/*")
	if err != nil || len(paths) < 2 {
		t.Fatalf("%d workflows: %v", len(paths), err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[path] = text
	}
	return all
}

func TestTheWorkflowsPassActionlint(t *testing.T) {
	for path, text := range workflows(t) {
		lint(t, path, text)
	}
}

var used = regexp.MustCompile(`(?m)^.*\buses: *(\S+).*$`)

// Whoever can move a tag of another repository cannot change what runs here.
func TestActionsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$`)
	texts := workflows(t)
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	texts["action.yml"] = text
	uses := 0
	for path, text := range texts {
		for _, found := range used.FindAllStringSubmatch(string(text), -1) {
			uses++
			if !strings.HasPrefix(found[1], "./") && !pinned.MatchString(found[0]) {
				t.Errorf("%s: %s: want a commit and its version", path, found[0])
			}
		}
	}
	if uses < 10 {
		t.Errorf("only %d uses were found", uses)
	}
}

// Each job has the rights that it names, and ends in time.
func TestJobsHaveFewRightsAndAnEnd(t *testing.T) {
	for path, text := range workflows(t) {
		var w struct {
			Permissions, Concurrency yaml.Node
			Jobs                     map[string]struct {
				Uses    string
				Timeout int `yaml:"timeout-minutes"`
			}
		}
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		var rights map[string]string
		if err := w.Permissions.Decode(&rights); err != nil || w.Permissions.IsZero() {
			t.Errorf("%s: want permissions for all jobs: %v", path, err)
		}
		for scope, right := range rights {
			if right != "read" {
				t.Errorf("%s: all jobs may %s %s", path, right, scope)
			}
		}
		if w.Concurrency.IsZero() {
			t.Errorf("%s: two runs may work at once", path)
		}
		for name, job := range w.Jobs {
			if job.Timeout == 0 && job.Uses == "" {
				t.Errorf("%s: %s has no end", path, name)
			}
		}
	}
}

// What may write runs no code of a clone. It takes archives from jobs that may only read,
// and checks them first.
func TestJobsThatMayWriteCompileNothing(t *testing.T) {
	foreign := regexp.MustCompile(`\bgo |\./tools/|\btools/|\.ci/|\bmake\b|\btask\b`)
	jobs := 0
	for path, text := range workflows(t) {
		var w struct {
			Jobs map[string]struct {
				Permissions map[string]string
				Steps       []struct{ Uses, Run string }
			}
		}
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Fatal(err)
		}
		for name, job := range w.Jobs {
			mayWrite := slices.Contains(slices.Collect(maps.Values(job.Permissions)), "write")
			if mayWrite {
				jobs++
			}
			for i, step := range job.Steps {
				action, _, _ := strings.Cut(step.Uses, "@")
				switch {
				case mayWrite && (action == "actions/checkout" || action == "actions/setup-go" || strings.HasPrefix(action, ".") || foreign.MatchString(step.Run)):
					t.Errorf("%s: %s may write, and runs %s%s", path, name, step.Uses, step.Run)
				case action == "actions/download-artifact" && (i+1 == len(job.Steps) || !strings.Contains(job.Steps[i+1].Run, `echo "$SHA256  `)):
					t.Errorf("%s: %s does not check the hash of what it downloads", path, name)
				}
			}
		}
	}
	if jobs < 4 {
		t.Errorf("only %d jobs that may write were found", jobs)
	}
}

// The programs of this repository that workflows run are there.
func TestWorkflowsRunWhatIsThere(t *testing.T) {
	script, program := regexp.MustCompile(`(?:\.ci|bench|tools)/[\w./-]+`), regexp.MustCompile(`go -C (\S+) (?:run|test).* \./(\S+)`)
	paths := map[string]bool{}
	for _, text := range workflows(t) {
		for _, found := range script.FindAll(text, -1) {
			paths[string(found)] = true
		}
		for _, found := range program.FindAllSubmatch(text, -1) {
			paths[string(found[1])+"/"+string(found[2])] = true
		}
	}
	for path := range paths {
		if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
			t.Error(err)
		}
	}
	if len(paths) < 6 {
		t.Errorf("only %v were found", paths)
	}
}

// Dependabot looks at every module, and at every package of npm that has dependencies.
func TestDependabotLooksEverywhere(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.github/dependabot.yml")), &config); err != nil {
		t.Fatal(err)
	}
	got, want := map[string][]string{}, map[string][]string{"github-actions": {"/"}}
	for _, u := range config.Updates {
		got[u.Ecosystem] = slices.Sorted(slices.Values(u.Directories))
	}
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch e.Name() {
		case "templates", "testdata":
			return fs.SkipDir
		case "go.mod":
			want["gomod"] = append(want["gomod"], "/"+strings.Trim(filepath.ToSlash(filepath.Dir(path)), "./"))
		case "package.json":
			want["npm"] = append(want["npm"], "/"+strings.Trim(filepath.ToSlash(filepath.Dir(path)), "./"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want["gomod"])
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
}
