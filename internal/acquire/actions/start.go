package actions

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/contextcompiler/context/internal/base/files"
)

// This file explains why a program doesn't start. The system only says "no such file or
// directory", even if the file is there and its interpreter isn't.

// whyNotFound says why the system refuses to execute a file at all.
func whyNotFound(name, file string) error {
	found, err := os.Stat(file)
	_, noLink := os.Readlink(file)
	switch {
	case err != nil && noLink == nil:
		return fmt.Errorf("%s is a symlink that leads nowhere", name)
	case err != nil:
		return fmt.Errorf("%s does not exist", name)
	case found.IsDir():
		return fmt.Errorf("%s is a directory: name a program in it", name)
	case !found.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	}
	return fmt.Errorf("%s is not executable: run `chmod +x %s`, or name its interpreter first, as in [python3, %s]", name, name, name)
}

// exits of a shell or of env when they can't start a program.
const cannotExecute, notFound = 126, 127

// whyNotStarted says why a file could not be started, or returns nil if err has another reason.
func whyNotStarted(name, file, searchPath string, err error) error {
	exit, hasRun := errors.AsType[*exec.ExitError](err)
	if hasRun && exit.ExitCode() != cannotExecute && exit.ExitCode() != notFound {
		return nil
	}
	start := startOf(file)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	isScript := bytes.HasPrefix(line, []byte("#!"))
	switch {
	case isScript && bytes.HasSuffix(line, []byte("\r")):
		return fmt.Errorf("the first line of %s ends with CR LF, so the system looks for an interpreter whose name ends with CR: save the file with LF line ends", name)
	case isScript:
		return whyNotInterpreted(name, strings.Fields(string(line[2:])), searchPath, hasRun)
	case hasRun:
		return nil
	case isExecutable(start) && (errors.Is(err, syscall.ENOEXEC) || errors.Is(err, syscall.ENOENT)):
		return fmt.Errorf("%s cannot run on %s/%s: it was built for another system, or its loader is missing", name, runtime.GOOS, runtime.GOARCH)
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf#!")):
		return fmt.Errorf("%s begins with a byte order mark, so the system doesn't see the #! after it: save the file without the mark", name)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s names no interpreter: let it begin with a line such as #!/bin/sh, or name the interpreter first, as in [sh, %s]", name, name)
	}
	return nil
}

// whyNotInterpreted is whyNotStarted for a script. words are those of its first line.
func whyNotInterpreted(name string, words []string, searchPath string, hasRun bool) error {
	if len(words) == 0 {
		return fmt.Errorf("the first line of %s names no interpreter: write one, such as #!/bin/sh", name)
	}
	if !hasRun {
		if _, err := exec.LookPath(words[0]); err != nil {
			return fmt.Errorf("%w, which the first line of %s names as its interpreter", whyNotFound(words[0], words[0]), name)
		}
		return nil
	}
	wanted := slices.IndexFunc(words[1:], func(word string) bool { return word[0] != '-' && !strings.Contains(word, "=") })
	if filepath.Base(words[0]) != "env" || wanted < 0 {
		return nil
	}
	if program := words[1+wanted]; !isPath(program) && lookUp(program, searchPath) == "" {
		return fmt.Errorf("%s is not installed: no directory of PATH contains it, and the first line of %s names it as its interpreter", program, name)
	}
	return nil
}

// startOf returns the first bytes of a file, or nothing if it can't be read.
func startOf(path string) []byte {
	file, _, err := files.OpenAnywhere(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	start := make([]byte, 4096)
	n, _ := file.ReadAt(start, 0)
	return start[:n]
}

// isExecutable reports whether a file begins like a program of Linux, macOS or Windows.
func isExecutable(start []byte) bool {
	return slices.ContainsFunc([]string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ"}, func(magic string) bool {
		return bytes.HasPrefix(start, []byte(magic))
	})
}
