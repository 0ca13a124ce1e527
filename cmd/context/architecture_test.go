//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/base/effort"
)

// architectures are built in addition to the test's own: one of 32 bits, and some for
// emulators, one of them big-endian.
var architectures = []struct {
	name     string
	native   string   // the architecture that runs it natively
	emulator []string // or a program that runs it, if installed
}{
	{"386", "amd64", []string{"qemu-i386", "qemu-i386-static"}},
	{"arm64", "", []string{"qemu-aarch64", "qemu-aarch64-static"}},
	{"s390x", "", []string{"qemu-s390x", "qemu-s390x-static"}},
}

// Caches and answers do not depend on the architecture. Compiling the program and the
// standard library for one takes minutes on a busy machine, so the variable
// CONTEXT_ARCHITECTURES asks for it: CI sets it to "native", and "emulated" adds emulators.
func TestArchitecturesMakeTheSameCachesAndAnswers(t *testing.T) {
	asked := os.Getenv("CONTEXT_ARCHITECTURES")
	if asked == "" || testing.Short() {
		t.Skip("it compiles the program for other architectures: set CONTEXT_ARCHITECTURES=native")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	corpora := []string{"../../docs", "testdata/architectures"}
	var want [][]made
	for _, corpus := range corpora {
		want = append(want, makeWith(t, []string{"context"}, corpus))
	}
	for _, a := range architectures {
		t.Run(a.name, func(t *testing.T) {
			var program []string
			if a.native != runtime.GOARCH {
				if asked != "emulated" {
					t.Skip("it takes minutes: set CONTEXT_ARCHITECTURES=emulated")
				}
				program = append(program, findEmulator(t, a.emulator))
			}
			program = append(program, compile(t, a.name))
			for i, corpus := range corpora {
				compare(t, makeWith(t, program, corpus), want[i])
			}
		})
	}
}

func findEmulator(t *testing.T, names []string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("none of %q is installed", names)
	return ""
}

// compile returns the program for an architecture.
func compile(t *testing.T, architecture string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "context-"+architecture)
	build := groupCommand(t, "go", "build", "-ldflags=-s", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+architecture, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", architecture, err, out)
	}
	return program
}

// A made is a file of a cache or an answer.
type made struct {
	name  string
	bytes []byte
}

// questions are asked of both corpora.
var questions = []string{
	"", "how to install", "max_tokens configuration", "selection index format", "検索 索引", "Größe ещё HTTPServer", "한국어 API", "the", "nowhere",
}

// makeWith builds a cache for each selection with a program and asks them.
func makeWith(t *testing.T, program []string, corpus string) (all []made) {
	t.Helper()
	for _, selection := range []string{"0", "1"} {
		dir := filepath.Join(t.TempDir(), "cache")
		run(t, program, "build", "--sources", corpus, "--cache", dir, "--selection", selection)
		all = append(all, filesOf(t, dir)...)
		for i, question := range questions {
			for k, more := range [][]string{{"--budget", "800"}, {"--budget", "3000", "--unit", "document"}, {"--budget", "100000", "--jobs", "3"}} {
				if (i+k)%effort.Cases(1, 3) != 0 {
					continue
				}
				answer := run(t, program, append([]string{"resolve", "--cache", dir, "--query", question, "--format", "pretty"}, more...)...)
				all = append(all, made{fmt.Sprintf("the answer to %q with %q by selection %s", question, more, selection), answer})
			}
		}
	}
	return all
}

// run returns the output of a program.
func run(t *testing.T, program []string, args ...string) []byte {
	t.Helper()
	words := slices.Concat(program, args)
	command := exec.CommandContext(t.Context(), words[0], words[1:]...)
	command.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1700000000")
	var failure bytes.Buffer
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", words, err, &failure)
	}
	return out
}

func filesOf(t *testing.T, dir string) (files []made) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files = append(files, made{name, content})
		return err
	})
	if err != nil || len(files) < 3 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	return files
}

func compare(t *testing.T, got, want []made) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got %d files and answers, want %d", len(got), len(want))
		return
	}
	for i, w := range want {
		if g := got[i]; g.name != w.name || !bytes.Equal(g.bytes, w.bytes) {
			t.Errorf("got %s of %d bytes, SHA-256 %x, want %s of %d, %x",
				g.name, len(g.bytes), sha256.Sum256(g.bytes), w.name, len(w.bytes), sha256.Sum256(w.bytes))
		}
	}
}
