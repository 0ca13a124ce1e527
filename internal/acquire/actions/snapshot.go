package actions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/ignore"
	"github.com/contextcompiler/context/internal/base/replace"
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

// A readFile is a file of the project, or a script outside of it.
type readFile struct {
	path string // as in [Script]
	what string // "script" if trust covers the file, "input", or "link" if it leads nowhere
	sum  FileHash
}

// read hashes everything the output of an action can depend on. searchPath is the PATH.
func (a *BuildAction) read(ctx context.Context, searchPath string) (snapshot, error) {
	w := a.newWalk()
	if err := a.checkDir(ctx); err != nil {
		return snapshot{}, err
	}
	if err := w.walk(ctx, w.visit); err != nil {
		return snapshot{}, err
	}
	if len(w.files) == 0 {
		return snapshot{}, a.errorf(ctx, "inputs match no file below %s", a.Project)
	}
	if err := w.addProgram(ctx, searchPath); err != nil {
		return snapshot{}, err
	}
	if err := w.addNames(ctx); err != nil {
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
	exempt          ignore.Rules // what scripts leave out
	anchors         []string     // directories below which patterns can match
	hidden          []string     // names of hidden directories in patterns
	dirs            []string     // slash paths of directories where inputs can appear
}

func (a *BuildAction) newWalk() *projectWalk {
	patterns := slices.Concat(a.Inputs, a.Scripts)
	return &projectWalk{
		a: a, inputs: rulesOf(a.Inputs), scripts: rulesOf(a.Scripts), exempt: rulesOf(leaving(a.Scripts)),
		anchors: anchorsOf(patterns), hidden: strings.Split(strings.Join(taking(patterns), "/"), "/"),
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
	what := ""
	switch {
	case replace.IsTransient(path.Base(at)):
		return nil
	case w.scripts.Covers(at):
		what = "script"
	case w.inputs.Covers(at):
		what = "input"
	}
	switch {
	case e.Type() == fs.ModeSymlink:
		return w.addSymlink(ctx, at, what)
	case what == "":
		return nil
	case e.Type() == 0:
		return w.add(ctx, at, what)
	}
	return w.a.errorf(ctx, "the %s %s is not a regular file: leave it out of %ss with a pattern such as !%s", what, at, what, at)
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

// taking leaves out the patterns with a leading "!".
func taking(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return p[0] == '!' })
}

// leaving returns the patterns with a leading "!", without it.
func leaving(patterns []string) (all []string) {
	for _, p := range patterns {
		if rest, ok := strings.CutPrefix(p, "!"); ok {
			all = append(all, rest)
		}
	}
	return all
}

// addSymlink adds the target of a symlink if a pattern matches. It refuses links out of the project
// and to directories, because the key couldn't notice changes there.
//
// Even if no pattern matches, it refuses a symlink to a directory if patterns name files below it,
// or if scripts could be below it and it leads out of the project. Otherwise, these files would be
// left out without a word, because the walk doesn't enter symlinks.
func (w *projectWalk) addSymlink(ctx context.Context, at, what string) error {
	real, err := filepath.EvalSymlinks(filepath.Join(w.a.Project, filepath.FromSlash(at)))
	found, failed := os.Stat(real)
	isDir := err == nil && failed == nil && found.IsDir()
	isInside := err == nil && isBelow(w.a.Project, real)
	hidesFiles := isDir && !w.isLeftOut(at)
	switch {
	case hidesFiles && slices.ContainsFunc(w.anchors, func(anchor string) bool { return strings.HasPrefix(anchor+"/", at+"/") }):
		return w.a.errorf(ctx, "%s is a symlink to a directory, so patterns match nothing below it: name the directory that it leads to", at)
	case hidesFiles && !isInside && !w.exempt.Covers(at) && slices.Contains(anchorsOf(w.a.Scripts), ""):
		return w.a.errorf(ctx, "%s is a symlink that leads out of %s, so trust can't cover scripts below it: leave it out of scripts with a pattern such as !%s", at, w.a.Project, at)
	case what == "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		w.files = append(w.files, readFile{path: at, what: "link"})
		return nil
	case err != nil:
		return w.a.errorf(ctx, "follow the symlink %s: %w", at, fault.Cause(err))
	case !isInside:
		return w.a.errorf(ctx, "the %s %s is a symlink that leads out of %s: leave it out of %ss with a pattern such as !%s", what, at, w.a.Project, what, at)
	case isDir:
		return w.a.errorf(ctx, "the %s %s is a symlink to a directory: leave it out of %ss with !%s, and match the files where they are", what, at, what, at)
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

// checkUnchanged reads again, and fails with advice if a file or the program has changed.
func (a *BuildAction) checkUnchanged(ctx context.Context, searchPath string, before snapshot, advice string) error {
	now, err := a.read(ctx, searchPath)
	if err != nil || a.key(now) == a.key(before) {
		return err
	}
	same := 0
	for same < min(len(before.files), len(now.files)) && before.files[same] == now.files[same] {
		same++
	}
	what := "the program"
	if rest := slices.Concat(before.files[same:], now.files[same:]); len(rest) > 0 { // both are sorted
		what = slices.MinFunc(rest, func(a, b readFile) int { return strings.Compare(a.path, b.path) }).path
	}
	return a.errorf(ctx, "%s changed %s", what, advice)
}
