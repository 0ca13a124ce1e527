//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/effort"
)

// faultsVariable turns TestFaults on, which takes minutes and strace:
//
//	CONTEXT_FAULTS=all go test ./cmd/context -run Faults -v -timeout 30m
const faultsVariable = "CONTEXT_FAULTS"

// A faultCase is a command that runs where faultScene is.
type faultCase struct {
	name    string
	in      string // the directory that it runs in, below the scene
	program string
	args    string
	input   string
	cache   string // that it makes, "" for none
	writes  bool
	reports bool // it prints a report though it fails
}

const faultCalls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}
`

var faultCases = []faultCase{
	{name: "build", args: "build --sources docs --cache out/new --jobs 1 --selection 1", cache: "out/new", writes: true},
	{name: "build --force", args: "build --sources more --cache out/cache --force --jobs 1 --selection 1", cache: "out/cache", writes: true},
	{name: "build --check", args: "build --sources docs --cache out/cache --check --jobs 1 --selection 1"},
	{name: "merge", args: "merge api=parts/1 parts/2 --cache out/new --jobs 1", cache: "out/new", writes: true},
	{name: "merge --force", args: "merge parts/2 api=parts/1 --cache out/cache --force --no-verify --jobs 1", cache: "out/cache", writes: true},
	{name: "resolve", args: "resolve --cache out/cache --query page --budget 1000 --jobs 1"},
	{name: "verify", args: "verify --cache out/cache --jobs 1"},
	{name: "inspect", args: "inspect --cache out/cache"},
	{name: "init", in: "project", args: "init", writes: true, reports: true},
	{name: "status", in: "project", args: "status --json", reports: true},
	{name: "list_caches", program: "mcp-context-server", args: "--cache-root out", input: fmt.Sprintf(faultCalls, "context.list_caches", "{}")},
	{name: "inspect_cache", program: "mcp-context-server", args: "--cache-root out", input: fmt.Sprintf(faultCalls, "context.inspect_cache", `{"cache":"cache"}`)},
}

// faultScene are the files where a case runs. A name that ends with @ is that of a
// symlink. There are also the caches out/cache of docs, parts/1 of more and parts/2
// of more/guide.
var faultScene = map[string]string{
	"docs/a.md":         "# A page\n\nText.\n",
	"docs/guide/b.md":   "---\ntitle: B\n---\n# Page b\n",
	"docs/link.md@":     "guide/b.md",
	"docs/folder@":      "guide",
	"more/a.md":         "# A page\n\nText.\n",
	"more/guide/c.md":   "# Page c\n",
	"project/go.mod":    "module example.com/m\n",
	"project/README.md": "# M\n\nIt does things well.\n",
	"project/pkg/a.go":  "// Package pkg does things.\npackage pkg\n" + strings.Repeat("// Some words.\n", 2000),
	"project/link@":     "pkg",
}

var (
	faultCallNames = []string{"readlinkat", "newfstatat", "fstat", "getdents64", "read", "openat", "fsync", "syncfs"}
	faultErrnos    = []string{"EIO", "EACCES", "EMFILE", "ENOMEM"}
)

// faultNames are names of faults. Every error has one of them.
var faultNames = []string{
	"docs", "more", "project", "out", "a.md", "b.md", "c.md", "guide", "link.md", "index", "manifest", ".idx",
	"parts", "README.md", "go.mod", "pkg", ".context", ".git", "directory", "standard input", "standard output",
}

// Whichever call of the system fails: a command gives the right answer, or fails
// with an I/O error that names what could not be read. It neither takes that for
// absent nor hangs. A cache is whole, the old or the new one.
func TestFaults(t *testing.T) {
	if os.Getenv(faultsVariable) == "" {
		t.Skipf("it takes minutes: set %s=all", faultsVariable)
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing: apt-get install strace")
	}
	bin := t.TempDir()
	build := groupCommand(t, "go", "build", "-o", bin+"/", "../context", "../mcp-context-server")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // or the loader of libraries fails, too
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scene := makeFaultScene(t, bin)
	for _, c := range faultCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := faultTest{faultCase: c, bin: bin, scene: scene, before: filesBelow(t, scene)}
			dir := f.place(t)
			if f.right = f.run(t, dir); f.right.status != 0 {
				t.Fatalf("without a fault: %+v", f.right)
			}
			f.after = filesBelow(t, dir)
			faults := 0
			for _, call := range faultCallNames {
				for _, errno := range faultErrnos {
					faults += f.failEach(t, call, errno)
				}
			}
			t.Logf("%d faults", faults)
		})
	}
}

func makeFaultScene(t *testing.T, bin string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range faultScene {
		path, isLink := strings.CutSuffix(filepath.Join(dir, name), "@")
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if isLink {
			err = errors.Join(err, os.Symlink(text, path))
		} else {
			err = errors.Join(err, os.WriteFile(path, []byte(text), 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for sources, cache := range map[string]string{"docs": "out/cache", "more": "parts/1", "more/guide": "parts/2"} {
		build := faultTest{faultCase: faultCase{args: "build --sources " + sources + " --cache " + cache + " --selection 1"}, bin: bin}
		if made := build.run(t, dir); made.status != 0 {
			t.Fatalf("%+v", made)
		}
	}
	return dir
}

// A faultTest runs a case with faults.
type faultTest struct {
	faultCase
	bin, scene    string
	right         faultOutcome
	before, after map[string]string // all files, by name
}

// A faultOutcome is the outcome of a command.
type faultOutcome struct {
	status      int
	out, stderr string
	fault       string // the call that failed, as strace shows it, "" for none
}

// place returns a directory to run the command in.
func (f faultTest) place(t *testing.T) string {
	t.Helper()
	if !f.writes {
		return f.scene
	}
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(f.scene))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// failEach has one call fail in each run, a later one each time, until the
// command makes no more of them. From the 16th on it samples.
func (f faultTest) failEach(t *testing.T, call, errno string) (faults int) {
	for at := 1; ; at += max(1, at/16) {
		inject := fmt.Sprintf("%s:error=%s:when=%d", call, errno, at)
		dir := f.place(t)
		got := f.run(t, dir, "-f", "-qq", "-o", "TRACE", "-e", "trace="+call, "-e", "inject="+inject)
		if got.fault == "" {
			return faults
		}
		faults++
		if wrong := f.judge(got); wrong != "" {
			t.Errorf("%s: %s\n%s\nstatus %d, standard error: %sstandard output: %s", inject, wrong, got.fault, got.status, got.stderr, got.out)
		}
		if f.writes {
			f.judgeFiles(t, inject, dir, got)
		}
	}
}

// run runs the command in dir, below strace if there are arguments for it.
func (f faultTest) run(t *testing.T, dir string, strace ...string) (o faultOutcome) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), effort.Patience(t))
	defer cancel()
	program := f.program
	if program == "" {
		program = "context"
	}
	words := append([]string{filepath.Join(f.bin, program)}, strings.Fields(f.args)...)
	trace := filepath.Join(t.TempDir(), "trace")
	if len(strace) > 0 {
		strace[slices.Index(strace, "TRACE")] = trace
		words = slices.Concat([]string{"strace"}, strace, words)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = filepath.Join(dir, f.in)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "PWD="+cmd.Dir)
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(f.input), &out, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok && err != nil {
		t.Fatal(err)
	} else if ok {
		o.status = exit.ExitCode()
	}
	o.out, o.stderr = strings.ReplaceAll(out.String(), dir, "DIR"), stderr.String()
	if ctx.Err() != nil {
		o.stderr += "it hung\n"
	}
	shown, _ := os.ReadFile(trace)
	for line := range strings.Lines(string(shown)) {
		if strings.Contains(line, "(INJECTED)") {
			o.fault += line
		}
	}
	return o
}

// judge returns an objection to an outcome, "" for none.
func (f faultTest) judge(got faultOutcome) string {
	switch {
	case got.status == 0 && got.out == f.right.out:
		return ""
	case f.input != "" && got.status == 0:
		return f.judgeAnswers(got)
	case got.status != 6 || got.out != "" && f.input == "" && !f.reports:
		return "want the right answer, or exit status 6 and no output"
	}
	message := ""
	for line := range strings.Lines(got.stderr) {
		if strings.HasPrefix(line, "error: ") {
			message = line
		}
	}
	if !slices.ContainsFunc(faultNames, func(name string) bool { return strings.Contains(message, name) }) {
		return "want an error that names what could not be read"
	}
	return ""
}

// judgeAnswers is judge for the lines of a server: one that differs must say
// io_error.
func (f faultTest) judgeAnswers(got faultOutcome) string {
	want := strings.SplitAfter(f.right.out, "\n")
	for i, line := range strings.SplitAfter(got.out, "\n") {
		if (i >= len(want) || line != want[i]) && !strings.Contains(line, "io_error") {
			return "want the right answer or io_error"
		}
	}
	return ""
}

// judgeFiles fails the test unless each file is the old or the new one. A cache is
// all old or all new. The next run, without a fault, must make all files new.
func (f faultTest) judgeFiles(t *testing.T, inject, dir string, got faultOutcome) {
	found := filesBelow(t, dir)
	for name, text := range found {
		old, hadOld := f.before[name]
		if text != f.after[name] && (text != old || !hadOld) && !strings.Contains(name, ".context-") {
			t.Errorf("%s: %s is neither the old nor the new one\n%s%s", inject, name, got.fault, got.stderr)
		}
	}
	if f.cache != "" {
		made, old, new := filesOfCache(found, f.cache), filesOfCache(f.before, f.cache), filesOfCache(f.after, f.cache)
		isNew := maps.Equal(made, new)
		if !isNew && (got.status == 0 || !maps.Equal(made, old)) {
			t.Errorf("%s: the cache has the files %q\n%s%s", inject, slices.Sorted(maps.Keys(made)), got.fault, got.stderr)
		}
		if isNew && !strings.Contains(f.args, "--force") {
			return // it would refuse to make it again
		}
	}
	again := f.run(t, dir)
	if again.status != 0 || !maps.Equal(filesBelow(t, dir), f.after) {
		t.Errorf("%s: the next run: status %d, %s, files %q\n%s%s", inject, again.status, again.stderr,
			slices.Sorted(maps.Keys(filesBelow(t, dir))), got.fault, got.stderr)
	}
}

func filesOfCache(files map[string]string, cache string) map[string]string {
	of := maps.Clone(files)
	maps.DeleteFunc(of, func(name, _ string) bool { return !strings.HasPrefix(name, cache+"/") })
	return of
}

// ofNow are the lines of a .context.yaml that no two runs have in common.
var ofNow = regexp.MustCompile(`(?m)^(fingerprint|last_updated): .*\n`)

// filesBelow returns the files below dir by name.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = ofNow.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
