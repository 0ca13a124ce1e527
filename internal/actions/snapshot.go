package actions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/replace"
)

// Bounds for the input and for the output of a command. Real documentation stays far below them.
const (
	maxFiles = 1_000_000
	maxBytes = 4 << 30
)

// A snapshot lists what an action reads: its program, scripts and inputs.
type snapshot struct {
	program string     // what the key says about the program
	files   []readFile // sorted by path
	bytes   int64
}

// A readFile is a file of the project.
type readFile struct {
	path string // slash path below the project
	what string // "script" if trust covers the file, "input", or "link" if it leads nowhere
	sum  FileHash
}

// read hashes everything the output of an action can depend on. searchPath is the PATH.
func (a *BuildAction) read(ctx context.Context, searchPath string) (snapshot, error) {
	w := a.newWalk()
	if err := w.walk(ctx, w.visit); err != nil {
		return snapshot{}, err
	}
	if len(w.files) == 0 {
		return snapshot{}, a.errorf(ctx, "inputs match no file below %s", a.Project)
	}
	if err := w.addProgram(ctx, searchPath); err != nil {
		return snapshot{}, err
	}
	if err := w.addArguments(ctx); err != nil {
		return snapshot{}, err
	}
	slices.SortFunc(w.files, func(a, b readFile) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(b.what, a.what))
	})
	w.files = slices.CompactFunc(w.files, func(a, b readFile) bool { return a.path == b.path }) // a script can also be an input
	return w.snapshot, nil
}

// A projectWalk collects a snapshot.
type projectWalk struct {
	snapshot
	a               *BuildAction
	root            *os.Root
	inputs, scripts ignore.Rules
	anchors         []string // directories below which patterns can match
	hidden          []string // names of hidden directories in patterns
	dirs            []string // slash paths of directories where inputs can appear
}

func (a *BuildAction) newWalk() *projectWalk {
	patterns := slices.Concat(a.Inputs, a.Scripts)
	return &projectWalk{
		a: a, inputs: rulesOf(a.Inputs), scripts: rulesOf(a.Scripts),
		anchors: anchorsOf(patterns), hidden: hiddenIn(patterns),
	}
}

// walk passes the files of the project to use, except those in directories where no pattern
// can match.
func (w *projectWalk) walk(ctx context.Context, use func(ctx context.Context, at string, e fs.DirEntry) error) (err error) {
	if w.root, err = files.OpenRoot(w.a.Project); err != nil {
		return w.a.errorf(ctx, "open %s: %w", w.a.Project, fault.Cause(err))
	}
	defer w.root.Close()
	return fs.WalkDir(w.root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		switch {
		case err != nil:
			return w.a.errorf(ctx, "read %s: %w", at, fault.Cause(err))
		case !e.IsDir():
			return use(ctx, at, e)
		case at != "." && (w.isLeftOut(at) || !w.reaches(at)):
			return fs.SkipDir
		}
		w.dirs = append(w.dirs, at)
		return nil
	})
}

func rulesOf(patterns []string) ignore.Rules {
	return ignore.Rules{}.With(".", []byte(strings.Join(patterns, "\n")))
}

// visit adds a file if a pattern matches.
func (w *projectWalk) visit(ctx context.Context, at string, e fs.DirEntry) error {
	what := "input"
	switch {
	case replace.IsTransient(path.Base(at)):
		return nil
	case w.scripts.Covers(at):
		what = "script"
	case !w.inputs.Covers(at):
		return nil
	}
	switch e.Type() {
	case 0:
		return w.add(ctx, at, what)
	case fs.ModeSymlink:
		return w.addSymlink(ctx, at, what)
	}
	return w.a.errorf(ctx, "the input %s is not a regular file: leave it out of inputs with a pattern such as !%s", at, at)
}

func (w *projectWalk) isLeftOut(at string) bool {
	name := path.Base(at)
	isHidden := strings.HasPrefix(name, ".") || name == "node_modules"
	return name == ".git" || isHidden && !slices.Contains(w.hidden, name) ||
		slices.Contains(w.a.Except, filepath.Join(w.a.Project, filepath.FromSlash(at)))
}

// reaches reports whether a pattern can match below a directory.
func (w *projectWalk) reaches(dir string) bool {
	return slices.ContainsFunc(w.anchors, func(anchor string) bool {
		return anchor == "" || strings.HasPrefix(anchor+"/", dir+"/") || strings.HasPrefix(dir+"/", anchor+"/")
	})
}

// anchorsOf returns the first directories of each pattern, for example docs/api for
// docs/api/*.rst, or "" if a pattern can match anywhere.
func anchorsOf(patterns []string) (anchors []string) {
	for _, pattern := range taking(patterns) {
		anchor := ""
		if strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
			for element := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
				if strings.ContainsAny(element, `*?[\`) {
					break
				}
				anchor = path.Join(anchor, element)
			}
		}
		anchors = append(anchors, anchor)
	}
	return anchors
}

// hiddenIn returns the names in patterns, which may be those of hidden directories.
func hiddenIn(patterns []string) (names []string) {
	for _, pattern := range taking(patterns) {
		names = append(names, strings.Split(pattern, "/")...)
	}
	return names
}

// taking leaves out the patterns with a leading "!".
func taking(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return p[0] == '!' })
}

// addSymlink adds the target of a symlink. It refuses links out of the project and to
// directories, because the key couldn't notice changes there.
func (w *projectWalk) addSymlink(ctx context.Context, at, what string) error {
	real, err := filepath.EvalSymlinks(filepath.Join(w.a.Project, filepath.FromSlash(at)))
	if errors.Is(err, fs.ErrNotExist) {
		w.files = append(w.files, readFile{path: at, what: "link"})
		return nil
	}
	if err != nil {
		return w.a.errorf(ctx, "follow the symlink %s: %w", at, fault.Cause(err))
	}
	if !isBelow(w.a.Project, real) {
		return w.a.errorf(ctx, "the input %s is a symlink that leads out of %s: leave it out of inputs with a pattern such as !%s", at, w.a.Project, at)
	}
	if found, err := os.Stat(real); err == nil && found.IsDir() {
		return w.a.errorf(ctx, "the input %s is a symlink to a directory: leave it out of inputs with !%s, and match the files where they are", at, at)
	}
	return w.add(ctx, at, what)
}

// add hashes a file of the project.
func (w *projectWalk) add(ctx context.Context, at, what string) error {
	file, _, err := files.Open(w.root, filepath.FromSlash(at))
	if err != nil {
		return w.a.errorf(ctx, "read the %s %s: %w", what, at, fault.Cause(err))
	}
	return w.addOpen(ctx, at, what, file)
}

func (w *projectWalk) addOpen(ctx context.Context, at, what string, file *os.File) error {
	sum, n, err := sumOf(ctx, file, maxBytes-w.bytes)
	w.bytes += n
	if err != nil {
		return w.a.errorf(ctx, "read the %s %s: %w", what, at, fault.Cause(err))
	}
	if w.files = append(w.files, readFile{at, what, sum}); len(w.files) > maxFiles {
		return w.a.errorf(ctx, "inputs match more than %d files", maxFiles)
	}
	return nil
}

// sumOf hashes and closes a file of at most limit bytes.
func sumOf(ctx context.Context, file *os.File, limit int64) (sum FileHash, n int64, err error) {
	defer file.Close()
	defer context.AfterFunc(ctx, func() { file.Close() })()
	h := sha256.New()
	n, err = io.Copy(h, io.LimitReader(file, limit+1))
	if err == nil && n > limit {
		err = files.ErrTooLarge
	}
	return FileHash(h.Sum(nil)), n, err
}

// addProgram hashes the program. If it belongs to the project, it counts as a script. Otherwise,
// a declared version can take the place of its contents, and then it need not be installed.
func (w *projectWalk) addProgram(ctx context.Context, searchPath string) error {
	file, err := w.a.program(searchPath)
	if err != nil && w.a.Version != "" {
		w.program = "version " + w.a.Version
		return nil
	}
	if err != nil {
		return w.a.errorf(ctx, "%w", err)
	}
	opened, _, err := files.OpenAnywhere(file)
	if err != nil {
		return w.a.errorf(ctx, "read %s: %w", file, fault.Cause(err))
	}
	if at, ok := w.a.inProject(file); ok {
		w.program = "script"
		return w.addOpen(ctx, at, "script", opened)
	}
	if w.a.Version != "" {
		opened.Close()
		w.program = "version " + w.a.Version
		return nil
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
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.dir(), filepath.FromSlash(name))
		}
		found, err := exec.LookPath(name)
		if err != nil {
			return "", errors.New(a.Run[0] + " is missing, or cannot be executed")
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

// absolute returns the absolute directories of a PATH.
func absolute(searchPath string) []string {
	return slices.DeleteFunc(filepath.SplitList(searchPath), func(dir string) bool { return !filepath.IsAbs(dir) })
}

// dir returns the absolute path of the directory where the command runs.
func (a *BuildAction) dir() string { return filepath.Join(a.Project, filepath.FromSlash(a.Dir)) }

// inProject returns the slash path of a file below the project. A symlink counts if it is in the
// project or leads there.
func (a *BuildAction) inProject(file string) (at string, ok bool) {
	real, err := filepath.EvalSymlinks(file)
	if err == nil && !isBelow(a.Project, real) {
		real, err = filepath.EvalSymlinks(filepath.Dir(file))
		real = filepath.Join(real, filepath.Base(file))
	}
	if err != nil || !isBelow(a.Project, real) {
		return "", false
	}
	at, err = filepath.Rel(a.Project, real)
	return filepath.ToSlash(at), err == nil
}

// addArguments adds files of the project if an argument names them. They are scripts, as in
// `python3 make.py`, unless they are inputs and don't look like programs.
func (w *projectWalk) addArguments(ctx context.Context) error {
	for _, argument := range w.a.Run[1:] {
		if argument == "" || strings.Contains(argument, Placeholder) {
			continue
		}
		file := filepath.FromSlash(argument)
		if !filepath.IsAbs(file) {
			file = filepath.Join(w.a.dir(), file)
		}
		opened, info, err := files.OpenAnywhere(file)
		if err != nil {
			continue // the argument isn't a file
		}
		at, ok := w.a.inProject(file)
		if !ok || w.inputs.Covers(at) && !isProgram(opened, info) {
			opened.Close()
			continue
		}
		if err := w.addOpen(ctx, at, "script", opened); err != nil {
			return err
		}
	}
	return nil
}

// programExtensions are the extensions of scripts.
var programExtensions = []string{".bash", ".bat", ".cjs", ".cmd", ".js", ".lua", ".mjs", ".php", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts"}

func isProgram(file *os.File, info fs.FileInfo) bool {
	start := make([]byte, 2)
	_, _ = file.ReadAt(start, 0)
	return info.Mode()&0o111 != 0 || string(start) == "#!" || slices.Contains(programExtensions, strings.ToLower(filepath.Ext(file.Name())))
}

// isBelow reports whether an absolute path is a directory or below it.
func isBelow(dir, file string) bool {
	below, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(below)
}

// scripts returns the files covered by trust.
func (r snapshot) scripts() (all []Script) {
	for _, f := range r.files {
		if f.what == "script" {
			all = append(all, Script{f.path, f.sum})
		}
	}
	return all
}

// change returns the path of a file with a difference between two readings. If all files are
// equal, it returns "the program" instead.
func (r snapshot) change(later snapshot) string {
	before := map[readFile]bool{}
	for _, f := range r.files {
		before[f] = true
	}
	for _, f := range later.files {
		if !before[f] {
			return f.path
		}
		delete(before, f)
	}
	for _, f := range r.files {
		if before[f] {
			return f.path
		}
	}
	return "the program"
}
