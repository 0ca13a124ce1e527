// Package action plays the steps of action.yml, and reads the workflows of this repository.
// It has no code.
package action

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// program is the path of context.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "context-action-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "context"+suffix)
	out, err := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-o", path, "./cmd/context").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

var suffix = map[string]string{"windows": ".exe"}[runtime.GOOS]

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// context runs the program in a directory, and returns its output.
func context(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// A release is the files of version 1.2.3, by their names.
type release map[string][]byte

// newRelease returns a release with the program for this machine.
func newRelease(t *testing.T) release {
	t.Helper()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the action needs %s: %v", tool, err)
		}
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pack := packTar
	if runtime.GOOS == "windows" {
		pack = packZip
	}
	r := release{archive(): pack(t, "context"+suffix, text)}
	r.seal()
	return r
}

// archive returns the name of the archive for this machine.
func archive() string {
	format := "tar.gz"
	if runtime.GOOS == "windows" {
		format = "zip"
	}
	return fmt.Sprintf("context_1.2.3_%s_%s.%s", runtime.GOOS, runtime.GOARCH, format)
}

// seal writes SHA256SUMS. Names may be parts of other names.
func (r release) seal() {
	r["SHA256SUMS"] = fmt.Appendf(nil, "%064d  %s.sbom.json\n%s  %[2]s\n%[1]064d  other.tar.gz\n", 0, archive(), sum(r[archive()]))
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// serve serves the release, and returns the URL that the action needs.
func (r release) serve(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		data, found := r[strings.TrimPrefix(request.URL.Path, "/v1.2.3/")]
		if !found {
			http.NotFound(w, request)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func packTar(t *testing.T, name string, text []byte) []byte {
	t.Helper()
	var data bytes.Buffer
	compressed := gzip.NewWriter(&data)
	files := tar.NewWriter(compressed)
	if err := files.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	put(t, text, files)
	for _, c := range []io.Closer{files, compressed} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return data.Bytes()
}

func packZip(t *testing.T, name string, text []byte) []byte {
	t.Helper()
	var data bytes.Buffer
	files := zip.NewWriter(&data)
	file, err := files.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	put(t, text, file)
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func put(t *testing.T, text []byte, out io.Writer) {
	t.Helper()
	if _, err := out.Write(text); err != nil {
		t.Fatal(err)
	}
}

// must fails the test unless the action passed and its log and summary have texts.
func (p played) must(t *testing.T, texts ...string) {
	t.Helper()
	p.has(t, true, texts...)
}

// mustFail fails the test unless the action failed and its log and summary have texts.
func (p played) mustFail(t *testing.T, texts ...string) {
	t.Helper()
	p.has(t, false, texts...)
}

func (p played) has(t *testing.T, passed bool, texts ...string) {
	t.Helper()
	if p.passed != passed {
		t.Fatalf("passed is %t, want %t:\n%s", p.passed, passed, p.log)
	}
	for _, text := range texts {
		if !strings.Contains(p.log+p.summary, text) {
			t.Errorf("there is no %q in\n%s\n%s", text, p.log, p.summary)
		}
	}
}

// mustHave fails the test unless an output has a value.
func (p played) mustHave(t *testing.T, output, want string) {
	t.Helper()
	if got := p.outputs[output]; got != want {
		t.Errorf("%s is %q, want %q", output, got, want)
	}
}

// The action builds the same cache as the program, from the cache of the last job, and
// keeps it only if the sources have changed.
func TestTheActionBuildsACache(t *testing.T) {
	url := newRelease(t).serve(t)
	inputs := map[string]string{"version": "v1.2.3", "sources": "docs", "download-url": url}
	kept := map[string]string{}
	for i, run := range []struct {
		page, written, row string
		kept               int
	}{
		{"# First\n", "true", "| 1 added, 0 changed, 0 removed |", 1},
		{"# Second\n", "true", "| 0 added, 1 changed, 0 removed |", 2},
		{"# Second\n", "false", "| up to date |", 2},
	} {
		j := newJob(t)
		j.kept = kept
		write(t, filepath.Join(j.workspace, "docs/page.md"), run.page)
		p := j.play(inputs)
		p.must(t, "| build/context | 1 |", run.row)
		p.mustHave(t, "written", run.written)
		p.mustHave(t, "document-count", "1")
		context(t, j.workspace, "build", "--sources", "docs", "--cache", "clean")
		mustEqual(t, filepath.Join(j.workspace, "build/context"), filepath.Join(j.workspace, "clean"))
		version := p.outputs["cache-version"]
		if out := context(t, j.workspace, "inspect", "--cache", "clean"); len(version) != 71 || !strings.Contains(out, version) {
			t.Errorf("cache-version is %q, want that of %s", version, out)
		}
		if len(kept) != run.kept {
			t.Errorf("run %d: %d caches are kept, want %d", i, len(kept), run.kept)
		}
	}
}

// mustEqual fails the test unless two directories have the same files.
func mustEqual(t *testing.T, got, want string) {
	t.Helper()
	if diff, err := exec.Command("git", "diff", "--no-index", "--stat", want, got).CombinedOutput(); err != nil {
		t.Errorf("%s and %s differ: %v\n%s", got, want, err, diff)
	}
}

// Inputs of several lines are several arguments, with their blanks.
func TestTheActionTakesSeveralSourcesAndArguments(t *testing.T) {
	j := newJob(t)
	for _, page := range []string{"my docs/a.md", "my docs/drafts/b.md", "api/c.md"} {
		write(t, filepath.Join(j.workspace, page), "# Page "+page+"\n")
	}
	p := j.play(map[string]string{
		"version": "1.2.3", "download-url": newRelease(t).serve(t), "cache": "out put",
		"sources": "my docs\nreference=api\n", "args": "--exclude\n/drafts/\n--description\nAll of it, \"quoted\"\n",
	})
	p.must(t, "| out put | 2 | 2 added,")
	p.mustHave(t, "document-count", "2")
	if out := context(t, j.workspace, "outline", "--cache", "docs=out put"); !strings.Contains(out, "reference/c.md") {
		t.Errorf("got %s", out)
	}
}

// With push, the action pushes the cache it built, and prints its digest.
func TestTheActionPushesCaches(t *testing.T) {
	url := newRelease(t).serve(t)
	j := newJob(t)
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	p := j.play(map[string]string{"version": "1.2.3", "download-url": url, "sources": "docs", "push": "oci-layout:layout:v1\n"})
	digest := p.outputs["digest"]
	p.must(t, "Pushed `oci-layout:layout:v1@"+digest+"`")
	context(t, j.workspace, "pull", "--cache", "pulled", "oci-layout:layout@"+digest)
	mustEqual(t, filepath.Join(j.workspace, "pulled"), filepath.Join(j.workspace, "build/context"))

	j = newJob(t)
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	write(t, filepath.Join(j.workspace, "api/page.md"), "# Another page\n")
	write(t, filepath.Join(j.workspace, "Contextfile.yml"), "version: 1\ncaches: {docs: {sources: [docs]}, api: {sources: [api]}}\n")
	p = j.play(map[string]string{"version": "1.2.3", "download-url": url, "push": "docs=oci-layout:layout:docs\napi=oci-layout:layout:api\n"})
	if digests := strings.Split(p.outputs["digest"], "\n"); len(digests) != 2 || digests[0] != digest || digests[1] == digest {
		t.Errorf("got the digests %q, expected the first to be %s", digests, digest)
	}
	j.play(map[string]string{"version": "1.2.3", "download-url": url, "push": "oci-layout:layout:all"}).mustFail(t, "choose a single target")
	j.play(map[string]string{"version": "1.2.3", "download-url": url, "push": "docs=oci://127.0.0.1:1/Owner/Docs:V1"}).mustFail(t, "oci://127.0.0.1:1/owner/docs:V1: ")
}

// With check, the action writes nothing and fails if the cache is stale.
func TestTheActionChecksACache(t *testing.T) {
	j := newJob(t)
	inputs := map[string]string{"version": "1.2.3", "sources": "docs", "check": "true", "download-url": newRelease(t).serve(t)}
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	j.play(inputs).mustFail(t, "::error::no cache at build/context; ")

	context(t, j.workspace, "build", "--sources", "docs", "--cache", "build/context")
	p := j.play(inputs)
	p.must(t, "| up to date |")
	p.mustHave(t, "written", "false")
	p.mustHave(t, "document-count", "1")

	write(t, filepath.Join(j.workspace, "docs/more.md"), "# More\n")
	stale := j.play(inputs)
	stale.mustFail(t, "::error::build/context is out of date ")
	stale.mustHave(t, "cache-version", "")
	if len(j.kept) > 0 {
		t.Errorf("%d caches are kept, want none: the cache is in the repository", len(j.kept))
	}
}

// Without sources, the action takes the caches of a Contextfile.
func TestTheActionTakesAContextfile(t *testing.T) {
	const contextfile = `version: 1
caches:
  docs: {sources: [{dir: docs}], output: "build/my docs"}
  api: {sources: [{dir: api}], output: build/api}
`
	url := newRelease(t).serve(t)
	for _, name := range []string{"Contextfile.yml", "other.yml"} {
		inputs := map[string]string{"version": "1.2.3", "download-url": url, "cache": "build"}
		if name == "other.yml" {
			inputs["file"] = name
		}
		j := newJob(t)
		write(t, filepath.Join(j.workspace, name), contextfile)
		write(t, filepath.Join(j.workspace, "docs/a.md"), "# A\n")
		write(t, filepath.Join(j.workspace, "api/b.md"), "# B\n")
		write(t, filepath.Join(j.workspace, "api/c.md"), "# C\n")
		p := j.play(inputs)
		p.must(t, "`context check` passed", "| docs | 1 | yes | yes | none | build/my docs |", "| api | 2 | yes |")
		p.mustHave(t, "document-count", "3")
		p.mustHave(t, "written", "true")
		if versions := strings.Split(p.outputs["cache-version"], "\n"); len(versions) != 2 || versions[0] == versions[1] {
			t.Errorf("got the versions %q, want two", versions)
		}
		if len(j.kept) != 1 {
			t.Errorf("%d directories are kept, want 1", len(j.kept))
		}

		write(t, filepath.Join(j.workspace, "api/c.md"), "# D\n")
		inputs["check"] = "true"
		j.play(inputs).mustFail(t, "`context check` failed for 1 of 2 targets", "::error::api: build/api is out of date ")
		inputs["targets"] = "docs"
		p = j.play(inputs)
		p.must(t, "| docs | 1 |")
		p.mustHave(t, "written", "false")
		p.mustHave(t, "document-count", "1")

		inputs = map[string]string{"version": "1.2.3", "download-url": url, "file": inputs["file"], "args": "--keep-going"}
		write(t, filepath.Join(j.workspace, "docs/a.md"), "caf\xe9\n")
		j.play(inputs).mustFail(t, "::error::docs: sources are not UTF-8")
	}
	newJob(t).play(map[string]string{"version": "1.2.3", "download-url": url}).mustFail(t, "::error::there is no Contextfile.yml")
}

// Warnings and errors are annotations, and a failed build fails the job.
func TestTheActionAnnotates(t *testing.T) {
	j := newJob(t)
	inputs := map[string]string{"version": "1.2.3", "sources": "docs", "download-url": newRelease(t).serve(t)}
	write(t, filepath.Join(j.workspace, "docs/page.md"), "---\na: [\n---\n# Page\n")
	j.play(inputs).must(t, "\n::warning file=docs/page.md::page.md: front matter")

	write(t, filepath.Join(j.workspace, "docs/latin1.md"), "caf\xe9\n")
	p := j.play(inputs)
	p.mustFail(t, "\n::error::sources are not UTF-8")
	p.mustHave(t, "cache-version", "")

	j = newJob(t)
	j.play(inputs).mustFail(t, "\n::error::no sources at docs")
}

// A program that is on the PATH needs no release.
func TestTheActionTakesTheProgramOnThePath(t *testing.T) {
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	j := newJob(t)
	inputs := map[string]string{"version": "path", "sources": "docs", "download-url": "http://127.0.0.1:1"}
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	j.programs = filepath.Dir(path) + string(os.PathListSeparator) + j.programs
	j.play(inputs).must(t, "| 1 added,")

	j.programs = t.TempDir()
	j.play(inputs).mustFail(t, "::error::the input version is path, but there is no context on the PATH")
}

// Nothing runs but the program that SHA256SUMS names, and nothing at all if the inputs
// are wrong.
func TestTheActionRefuses(t *testing.T) {
	sound := newRelease(t)
	for name, test := range map[string]struct {
		inputs map[string]string
		damage func(release)
		os     string
		arch   string
		want   string
	}{
		"no version":       {inputs: map[string]string{"version": ""}, want: `::error::the input version is "", expected a release such as 1.2.3, or path`},
		"latest":           {inputs: map[string]string{"version": "latest"}, want: `the input version is "latest"`},
		"a path in it":     {inputs: map[string]string{"version": "1.2.3/../../x"}, want: `the input version is`},
		"a command in it":  {inputs: map[string]string{"version": "1.2.3\n::notice::x"}, want: `::error::the input version is "1.2.3%0A::notice::x"`},
		"another check":    {inputs: map[string]string{"check": "yes"}, want: `the input check is "yes", expected true or false`},
		"two projects":     {inputs: map[string]string{"file": "Contextfile.yml"}, want: "the input sources replaces the Contextfile"},
		"targets":          {inputs: map[string]string{"targets": "docs"}, want: "the input sources replaces the Contextfile"},
		"no such args":     {inputs: map[string]string{"sources": "", "check": "true", "args": "--ext\nmdx"}, want: "takes no args"},
		"two caches":       {inputs: map[string]string{"cache": "a\nb"}, want: "the input cache contains several lines"},
		"another system":   {os: "FreeBSD", want: "there is no release for FreeBSD"},
		"another machine":  {arch: "ARM", want: "there is no release for ARM"},
		"another pin":      {inputs: map[string]string{"sha256sums": strings.Repeat("0", 64)}, want: "::error::the SHA-256 of SHA256SUMS of "},
		"no such release":  {inputs: map[string]string{"version": "9.9.9"}, want: "::error::cannot download "},
		"no archive":       {damage: func(r release) { delete(r, archive()) }, want: "::error::cannot download "},
		"no sum":           {damage: func(r release) { r["SHA256SUMS"] = []byte("0  x" + archive() + "\n") }, want: " does not contain " + archive()},
		"another archive":  {damage: func(r release) { r[archive()] = append(r[archive()], 0) }, want: "::error::the SHA-256 of " + archive() + " of "},
		"an empty archive": {damage: func(r release) { r[archive()] = nil }, want: "::error::the SHA-256 of " + archive() + " of "},
	} {
		t.Run(name, func(t *testing.T) {
			r := release{archive(): sound[archive()]}
			r.seal()
			if test.damage != nil {
				test.damage(r)
			}
			j := newJob(t)
			if test.os != "" {
				j.os = test.os
			}
			if test.arch != "" {
				j.arch = test.arch
			}
			write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
			inputs := map[string]string{"version": "1.2.3", "sources": "docs", "download-url": r.serve(t)}
			for name, value := range test.inputs {
				inputs[name] = value
			}
			p := j.play(inputs)
			p.mustFail(t, test.want)
			if p.summary != "" || strings.Contains(p.log, "\n::notice") {
				t.Errorf("got %s\n%s", p.log, p.summary)
			}
		})
	}
}

// The SHA-256 of SHA256SUMS pins a release.
func TestTheActionTakesAPinnedRelease(t *testing.T) {
	r := newRelease(t)
	j := newJob(t)
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	inputs := map[string]string{"version": "1.2.3", "sources": "docs", "download-url": r.serve(t), "sha256sums": sum(r["SHA256SUMS"])}
	j.play(inputs).must(t, "| 1 added,")
}

// Inputs come to scripts in variables, so none can be a command.
func TestNoScriptHoldsAnExpression(t *testing.T) {
	j := newJob(t)
	for _, s := range readAction(t).Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s has an expression in its script", s.Name)
		}
	}
	write(t, filepath.Join(j.workspace, "docs/page.md"), "# Page\n")
	hostile := "$(touch pwned)`touch pwned`;touch pwned"
	j.play(map[string]string{"version": "1.2.3", "download-url": newRelease(t).serve(t), "sources": hostile, "cache": hostile, "args": hostile}).mustFail(t)
	if _, err := os.Stat(filepath.Join(j.workspace, "pwned")); err == nil {
		t.Error("an input was run")
	}
}
