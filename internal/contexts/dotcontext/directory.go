package dotcontext

import (
	"bytes"
	"cmp"
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
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A projectDir is a directory of the project with the findings of a scan.
type projectDir struct {
	scope       string
	files       []fileState  // regular files counted in the fingerprint
	subscopes   []string     // subdirectories to scan, in order
	sources     []fileState  // source files, unless ignored
	readmes     []string     // symlinks named like a README
	hasFile     bool         // of any type
	fileIsPlain bool         // it is a regular file
	file        fileState    // the .context.yaml, if regular and if there is a memory
	isGone      bool         // it has vanished since its parent was listed
	isCache     bool         // of documents, so no context may describe it
	unlisted    bool         // it could not be listed
	unread      error        // the first refusal to read something in it
	unruled     error        // the first refusal to read its ignore file or one above
	rules       ignore.Rules // of the scan, including those from above
	git         ignore.Rules // of git

	qualifies bool // it, or a directory below it, contains source files
	kept      bool // it needs a context
}

// tokens estimates the size of the directory's own sources, at 4 bytes per token.
func (d *projectDir) tokens() int64 {
	var size int64
	for _, f := range d.sources {
		size += f.size
	}
	return (size + 3) / 4
}

// list lists the directory. The patterns of the config file, ignored, apply at the
// root.
func (d *projectDir) list(p *Project, ignored []string) {
	entries, err := p.entriesIn(d.scope)
	if err != nil {
		d.isGone, d.unlisted = !isRefusal(err), true
		d.unread = asUnread(d.scope, err)
		return
	}
	if isIn(entries, manifestName) && p.isCache(d.scope) {
		d.isCache = true
		return
	}
	d.readRules(p, entries)
	if d.scope == "." {
		d.rules = d.rules.With(".", []byte(strings.Join(ignored, "\n")))
	}
	for _, e := range entries {
		d.add(p, e)
	}
	d.readmes = slices.DeleteFunc(d.readmes, func(name string) bool { return !d.leadsToFile(p, name) })
}

// manifestName is the name of a cache's manifest, which is next to its documents.
const manifestName = "manifest.json"

var errCache = errors.New("it is in a cache of documents, which must not change")

// isCache reports whether the directory at scope is a cache of documents. Nothing
// may be added there, because a file that the build did not write makes the cache
// invalid.
func (p *Project) isCache(scope string) bool {
	documents, err := p.root.Lstat(path.Join(scope, "documents"))
	if err != nil || !documents.IsDir() {
		return false
	}
	f, _, err := files.Open(p.root, path.Join(scope, manifestName))
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	return bytes.Contains(head, []byte(`"cache_version"`))
}

// leadsToFile reports whether a symlink in the directory leads to a regular file of
// the project.
func (d *projectDir) leadsToFile(p *Project, name string) bool {
	real, err := p.realScope(path.Join(d.scope, name))
	var found fs.FileInfo
	if err == nil {
		found, err = p.root.Lstat(real)
	}
	if isRefusal(err) {
		d.unread = cmp.Or(d.unread, named(path.Join(d.scope, name), err))
	}
	return err == nil && found.Mode().IsRegular()
}

// entriesIn returns the entries of a directory, sorted by name. It lists the directory only if
// the memory does not know its current state.
func (p *Project) entriesIn(scope string) ([]fs.DirEntry, error) {
	at := p.onDisk(scope)
	if p.memory == nil {
		return os.ReadDir(at)
	}
	dir, _, err := p.look(at)
	if err != nil {
		return nil, err
	}
	if entries, isKnown := p.memory.listings.Get(keyOf(dir)); isKnown {
		return entries, nil
	}
	entries, err := os.ReadDir(at)
	if err == nil && p.hasSettled(dir) {
		p.memory.listings.Put(keyOf(dir), entries, listingSize+len(entries)*entrySize)
	}
	return entries, err
}

func isIn(entries []fs.DirEntry, name string) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
}

func (d *projectDir) doubt() error { return cmp.Or(d.unread, d.unruled) }

func (d *projectDir) readRules(p *Project, entries []fs.DirEntry) {
	text := d.readIgnore(p, entries, gitIgnore)
	d.rules, d.git = d.rules.With(d.scope, text), d.git.With(d.scope, text)
	if d.scope == "." {
		d.rules = d.rules.With(".", d.readIgnore(p, entries, contextIgnore))
	}
}

// readIgnore returns the text of an ignore file, or nil if it is missing.
func (d *projectDir) readIgnore(p *Project, entries []fs.DirEntry, name string) []byte {
	if !isIn(entries, name) {
		return nil
	}
	text, err := p.readIgnore(path.Join(d.scope, name))
	d.unruled = cmp.Or(d.unruled, err)
	return text
}

func (d *projectDir) add(p *Project, e fs.DirEntry) {
	name, mode := e.Name(), e.Type()
	switch {
	case name == contextfile.Name:
		d.hasFile, d.fileIsPlain = true, mode.IsRegular()
		if d.fileIsPlain && p.memory != nil {
			d.file, _ = d.look(p, name)
		}
	case mode.IsDir():
		if scope := path.Join(d.scope, name); isEntered(name) && !d.rules.Match(scope, true) {
			d.subscopes = append(d.subscopes, scope)
		}
	case mode&fs.ModeSymlink != 0:
		if strings.HasPrefix(strings.ToLower(name), "readme") {
			d.readmes = append(d.readmes, name)
		}
	case mode.IsRegular() && !isUnfinished(name):
		d.addFile(p, name)
	}
}

func (d *projectDir) addFile(p *Project, name string) {
	f, ok := d.look(p, name)
	if !ok {
		return
	}
	d.files = append(d.files, f)
	if isSource(name) && !d.isMatched(d.rules, name) {
		d.sources = append(d.sources, f)
	}
}

// look returns the current state of a file in the directory. It is false unless
// that is a regular file.
func (d *projectDir) look(p *Project, name string) (_ fileState, ok bool) {
	f, mode, err := p.look(p.onDisk(d.scope) + string(filepath.Separator) + name)
	if isRefusal(err) {
		d.unread = cmp.Or(d.unread, named(path.Join(d.scope, name), err))
	}
	f.name = name
	return f, err == nil && mode.IsRegular()
}

func (d *projectDir) isMatched(rules ignore.Rules, name string) bool {
	return rules != ignore.Rules{} && rules.Match(path.Join(d.scope, name), false)
}

// directoriesAt lists the directories at scopes, each once, sorted by scope.
func (p *Project) directoriesAt(scopes []string) (found []*projectDir, err error) {
	for _, scope := range scopes {
		d, err := p.directoryAt(scope)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b *projectDir) int { return compareUTF16(a.scope, b.scope) })
	return slices.CompactFunc(found, func(a, b *projectDir) bool { return a.scope == b.scope }), nil
}

// directoryAt lists the directory at a scope in any form. It fails with [fault.IO]
// if the project does not contain it.
func (p *Project) directoryAt(scope string) (*projectDir, error) {
	canonical, err := lexicalScope(p.Path, scope)
	d := &projectDir{}
	if err == nil {
		d.scope, err = p.realScope(canonical)
	}
	if err == nil && slices.ContainsFunc(append(ancestors(d.scope), d.scope), p.isCache) {
		err = errCache
	}
	if err == nil {
		d.git, d.unruled = p.gitRulesAbove(d.scope)
		d.list(p, nil)
		err = d.unread
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "scope %s: %w", slashed(scope), fault.Cause(err))
	}
	return d, nil
}

// unignored returns the files that git does not ignore, because only these are in a
// clone. The .git of a worktree or a submodule is a file of git's own.
func (d *projectDir) unignored() []fileState {
	return slices.DeleteFunc(slices.Clone(d.files), func(f fileState) bool { return f.name == ".git" || d.isMatched(d.git, f.name) })
}
