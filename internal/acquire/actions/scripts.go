package actions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
)

// This file finds the scripts that a command names, because trust covers them.

// checkDir fails unless the command runs in a directory of the project.
func (a *BuildAction) checkDir(ctx context.Context) error {
	real, err := filepath.EvalSymlinks(a.dir())
	var found fs.FileInfo
	if err == nil {
		found, err = os.Stat(real)
	}
	switch {
	case err != nil:
		return a.errorf(ctx, "dir %s: %w", a.Dir, fault.Cause(err))
	case !found.IsDir():
		return a.errorf(ctx, "dir %s is not a directory", a.Dir)
	case !isBelow(a.Project, real):
		return a.errorf(ctx, "dir %s is a symlink, or lies below one, that leads out of %s: name a directory of the project", a.Dir, a.Project)
	}
	return nil
}

// addProgram hashes the program. If it belongs to the project, it counts as a script. Otherwise,
// a declared version can take the place of its contents, and then it need not be installed.
func (w *projectWalk) addProgram(ctx context.Context, searchPath string) error {
	at := ""
	file, err := w.a.program(searchPath)
	if err == nil {
		at, err = w.a.programAt(file)
	}
	switch {
	case w.a.Version != "" && at == "" && (err == nil || file == ""):
		w.program = "version " + w.a.Version
		return nil
	case err != nil:
		return w.a.errorf(ctx, "%w", err)
	}
	opened, _, err := files.OpenAnywhere(file)
	if err != nil {
		return w.a.errorf(ctx, "read %s: %w", file, fault.Cause(err))
	}
	if at != "" {
		w.program = "script"
		return w.addOpen(ctx, at, "script", opened)
	}
	sum, _, err := sumOf(ctx, opened, maxBytes)
	if err != nil {
		return w.a.errorf(ctx, "read %s: %w", file, fault.Cause(err))
	}
	w.program = "sha256 " + sum.String()
	return nil
}

// program returns the absolute path of the program. As in a shell, a name with a slash is a path,
// here below the directory where the command runs. Other names are looked up in searchPath,
// except in relative directories, because the project decides what these contain.
func (a *BuildAction) program(searchPath string) (string, error) {
	name := a.Run[0]
	if isPath(name) {
		found, err := exec.LookPath(a.file(name))
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s does not exist, or is a symlink that leads nowhere", name)
		}
		if info, statErr := os.Stat(a.file(name)); statErr == nil && info.IsDir() {
			return "", fmt.Errorf("%s is a directory: name a program in it", name)
		}
		if err != nil {
			return "", fmt.Errorf("%s is not executable: run `chmod +x %s`, or name its interpreter first, as in [python3, %s]", name, name, name)
		}
		return found, nil
	}
	for _, dir := range absolute(searchPath) {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", errors.New(name + " is not installed: no directory of PATH contains it")
}

func isPath(name string) bool { return strings.ContainsAny(name, "/"+string(filepath.Separator)) }

// absolute returns the absolute directories of a PATH.
func absolute(searchPath string) []string {
	return slices.DeleteFunc(filepath.SplitList(searchPath), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// dir returns the absolute path of the directory where the command runs.
func (a *BuildAction) dir() string { return filepath.Join(a.Project, filepath.FromSlash(a.Dir)) }

// file returns the absolute path for a name as the command reads it. The path isn't clean,
// because the system follows a symlink before it goes up.
func (a *BuildAction) file(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return a.dir() + string(filepath.Separator) + name
}

// programAt is scriptAt for the program. A program in a directory of the project can be a symlink
// that leads out of it, as in a virtual environment of Python. Then trust covers the target.
func (a *BuildAction) programAt(file string) (at string, err error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", fmt.Errorf("follow %s: %w", file, fault.Cause(err))
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil && isBelow(a.Project, dir) && !isBelow(a.Project, real) {
		return filepath.ToSlash(real), nil
	}
	if name := a.Run[0]; isPath(name) {
		file = name
	}
	return a.scriptAt(file)
}

// scriptAt returns the path of a [Script] for a name in the command, or "" if the name doesn't
// exist or is the absolute path of a file outside of the project. It fails if the name is
// in the project and leads out of it: then users would look for the script in the wrong place.
func (a *BuildAction) scriptAt(name string) (at string, err error) {
	file := a.file(name)
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", nil
	}
	isNamedInside := isBelow(a.Project, file)
	switch {
	case isNamedInside && !isBelow(a.Project, real):
		return "", fmt.Errorf("%s is a symlink, or lies below one, that leads out of %s: name the file where it is", name, a.Project)
	case isBelow(a.Project, real) || file != filepath.FromSlash(name): // or a relative path out of the project
		if at, err = filepath.Rel(a.Project, real); err != nil {
			at = real // on another volume
		}
	}
	return filepath.ToSlash(at), nil
}

// addNames adds the files that the arguments and variables name. They are scripts, as in
// `python3 make.py`, unless they are inputs and don't look like programs. Words of a text, and
// files outside of the project, must look like programs, because a command can also write them.
func (w *projectWalk) addNames(ctx context.Context) error {
	words := slices.Clone(w.a.Run[1:])
	for _, variable := range w.a.Env {
		_, value, _ := strings.Cut(variable, "=")
		words = append(words, value)
	}
	for _, word := range words {
		for _, name := range namesIn(word) {
			at, err := w.a.scriptAt(name)
			if err != nil {
				return w.a.errorf(ctx, "%w", err)
			}
			if at == "" {
				continue
			}
			opened, info, err := files.OpenAnywhere(Script{Path: at}.file(w.a.Project))
			if err != nil {
				continue // a directory
			}
			isOfText := name != word && strings.ContainsAny(word, " \t\n")
			if (isOfText || !filepath.IsLocal(at) || w.inputs.Covers(at)) && !isProgram(opened, info) {
				opened.Close()
				continue
			}
			if err := w.addOpen(ctx, at, "script", opened); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxOption is the maximum length of an option joined to its value, since every suffix is tried.
const maxOption = 256

// namesIn returns the texts that can name a file in an argument or in the value of a variable: the
// whole text, its words, as for `sh -c`, and the values of options, as in --makefile=Mk and -fMk.
func namesIn(word string) (names []string) {
	names = append(names, word)
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(word, Placeholder, " "), isBetweenNames) {
		names = append(names, part)
		if len(part) > 2 && len(part) <= maxOption && part[0] == '-' && part[1] != '-' {
			for i := 2; i < len(part); i++ { // options without values can come first, as in -sfMk
				names = append(names, part[i:])
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || strings.ContainsRune(name, 0) })
	slices.Sort(names)
	return slices.Compact(names)
}

func isBetweenNames(r rune) bool {
	return strings.ContainsRune(" \t\r\n=:,;@|&()<>{}[]'\"`$!?*#", r)
}

// programExtensions are the extensions of scripts.
var programExtensions = strings.Fields(`.awk .bash .bat .cjs .class .cmd .com .cts .dll .dylib .el .exe .fish .go
	.groovy .jar .jl .js .jsx .ksh .lua .m4 .mjs .mk .mts .php .phar .pl .pm .ps1 .psm1 .py .pyc .pyw .pyz .r .rb
	.scm .sed .sh .so .tcl .ts .tsx .vbs .wasm .xsl .xslt .zsh`)

func isProgram(file *os.File, info fs.FileInfo) bool {
	start := make([]byte, 2)
	_, _ = file.ReadAt(start, 0)
	return info.Mode()&0o111 != 0 || string(start) == "#!" || slices.Contains(programExtensions, strings.ToLower(filepath.Ext(file.Name())))
}
