package dotcontext

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/ignore"
)

// A directory is one of the project's as a scan found it.
type directory struct {
	scope       string
	files       []file       // the regular ones that count in a fingerprint
	subscopes   []string     // the directories in it that a scan enters, in order
	sources     []file       // the files that are sources and not ignored
	readmes     []string     // symlinks that are named as a README
	hasFile     bool         // something there is named .context.yaml
	fileIsPlain bool         // and it is a regular file
	isGone      bool         // it has vanished since its parent was listed
	unlisted    bool         // it could not be listed
	unread      error        // the first thing in it that could not be read
	unruled     error        // the ignore file, its own or one above, that could not be read
	rules       ignore.Rules // what a scan leaves out: its parent's rules and its own
	git         ignore.Rules // what git leaves out

	qualifies bool // it or a directory below it has source files
	kept      bool // it is to have a context
}

// tokens is how large the directory's own sources are, 4 bytes a token.
func (d *directory) tokens() int64 {
	var size int64
	for _, f := range d.sources {
		size += f.size
	}
	return (size + 3) / 4
}

// list looks what lies in the directory. ignored are patterns of the config
// file, which hold at the root.
func (d *directory) list(p *Project, ignored []string) {
	entries, err := os.ReadDir(p.onDisk(d.scope))
	if err != nil {
		d.isGone, d.unlisted = !isRefusal(err), true
		d.unread = asUnread(d.scope, err)
		return
	}
	d.readRules(p, entries)
	if d.scope == "." {
		d.rules = d.rules.With(".", []byte(strings.Join(ignored, "\n")))
	}
	for _, e := range entries {
		d.add(e)
	}
	d.readmes = slices.DeleteFunc(d.readmes, func(name string) bool { return !d.leadsToFile(p, name) })
}

// leadsToFile reports whether a symlink in the directory leads to a regular file
// of the project.
func (d *directory) leadsToFile(p *Project, name string) bool {
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

// doubt returns why it is not known what is in the directory or counts there; nil
// if that is known.
func (d *directory) doubt() error { return cmp.Or(d.unread, d.unruled) }

// readRules adds the rules of the directory's ignore files.
func (d *directory) readRules(p *Project, entries []fs.DirEntry) {
	text := d.readIfPlain(p, entries, gitIgnore)
	d.rules, d.git = d.rules.With(d.scope, text), d.git.With(d.scope, text)
	if d.scope == "." {
		d.rules = d.rules.With(".", d.readIfPlain(p, entries, contextIgnore))
	}
}

// readIfPlain returns the text of an ignore file. Git follows no symlink there,
// so only a regular file counts.
func (d *directory) readIfPlain(p *Project, entries []fs.DirEntry, name string) []byte {
	has := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() })
	if !has {
		return nil
	}
	text, err := p.read(path.Join(d.scope, name))
	if err != nil && !isAbsence(err) {
		d.unruled = cmp.Or(d.unruled, named(path.Join(d.scope, name), err))
	}
	return text
}

// add takes an entry of the directory into account.
func (d *directory) add(e fs.DirEntry) {
	name := e.Name()
	if name == contextfile.Name {
		d.hasFile, d.fileIsPlain = true, e.Type().IsRegular()
		return
	}
	scope := path.Join(d.scope, name)
	switch {
	case e.IsDir():
		if isEntered(name) && !d.rules.Match(scope, true) {
			d.subscopes = append(d.subscopes, scope)
		}
	case e.Type()&fs.ModeSymlink != 0:
		if strings.HasPrefix(strings.ToLower(name), "readme") {
			d.readmes = append(d.readmes, name)
		}
	default:
		f, ok, err := fileOf(e)
		if err != nil {
			d.unread = cmp.Or(d.unread, asUnread(scope, err))
		}
		if !ok {
			return
		}
		d.files = append(d.files, f)
		if isSource(name) && !d.rules.Match(scope, false) {
			d.sources = append(d.sources, f)
		}
	}
}

// directoriesAt lists the directories that scopes lead to, each once, sorted by
// scope.
func (p *Project) directoriesAt(scopes []string) (found []*directory, err error) {
	for _, scope := range scopes {
		d, err := p.directoryAt(scope)
		if err != nil {
			return nil, err
		}
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b *directory) int { return compareUTF16(a.scope, b.scope) })
	return slices.CompactFunc(found, func(a, b *directory) bool { return a.scope == b.scope }), nil
}

// directoryAt lists the directory that a scope in any form leads to. It fails
// with [fault.IO] if there is none in the project.
func (p *Project) directoryAt(scope string) (*directory, error) {
	canonical, err := lexicalScope(p.Path, scope)
	d := &directory{}
	if err == nil {
		d.scope, err = p.realScope(canonical)
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

// unignored returns the files that git would not ignore: those that a clone has.
func (d *directory) unignored() (files []file) {
	for _, f := range d.files {
		if !d.git.Match(path.Join(d.scope, f.name), false) {
			files = append(files, f)
		}
	}
	return files
}
