package dotcontext

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/describe"
)

// These bounds keep the lists of a context short enough for a person to read.
const (
	structureDepth = 2
	structureSize  = 100
	subdirectories = 1000 // of any directory; package describe bounds the other lists
)

// Init creates a context for every directory of the project that needs one but does
// not contain it, and fills it in from the files there. In existing contexts, it
// refreshes the fields named in derived_fields. It keeps their values if somebody
// else wrote them, unless the options ask to overwrite them. Init sets the
// fingerprint only if it wrote all fields, because a person must check the others
// first.
//
// Init fails with [fault.IO] if the project cannot be listed. If something else
// cannot be read, it refuses the context that needs it and every context above.
func (p *Project) Init(ctx context.Context, options WriteOptions) (WriteReport, error) {
	s, err := p.scan(ctx)
	if err != nil {
		return WriteReport{}, err
	}
	if s.unread != nil { // because the file decides which directories need a context
		return WriteReport{}, unreadFault(s.unread)
	}
	wanted, err := p.wanted(s, options.Scopes)
	if err != nil {
		return WriteReport{}, err
	}
	drafts, err := parallel.Each(ctx, 0, len(s.directories), func(_ context.Context, _, i int) (contextDraft, error) {
		return p.draft(s, s.directories[i]), nil
	})
	if err != nil {
		return WriteReport{}, err
	}
	for i, d := range drafts {
		drafts[i].overwritten = options.Overwrite && slices.Contains(wanted, d.projectDir)
	}
	tree := newTree(asUTF8(filepath.Base(p.real)), drafts)
	tree.inGit = p.isInGit()
	list, err := parallel.Each(ctx, 0, len(wanted), func(ctx context.Context, _, i int) (ContextChange, error) {
		d, scanned := tree.at[wanted[i].scope]
		if !scanned {
			d = p.draft(s, wanted[i])
		}
		var kept []string
		action, err := Refused, cmp.Or(d.err, d.unread, tree.doubts[d.scope])
		if err == nil {
			derived, options := tree.derived(d), tree.inForm(options, d)
			action, err = p.edit(ctx, d.projectDir, func(before []byte) (after []byte, err error) {
				after, kept, err = p.initialized(ctx, d.projectDir, before, derived, options)
				return after, err
			})
		}
		change, err := changeOf(ctx, d.scope, action, err)
		change.Kept = kept
		return change, err
	})
	return WriteReport{list, s.allWarnings()}, err
}

// A contextDraft contains the fields derived from a directory's own files, and the
// directory's present context.
type contextDraft struct {
	*projectDir
	derived contextfile.Derived  // without the subdirectories
	context *contextfile.Context // nil if missing or invalid
	err     error                // why the context is invalid
	unread  error                // the first refusal to read one of the files

	overwritten bool // discard edits of the context's derived fields
}

// said returns the summary for other contexts. A person's summary comes before
// ours.
func (d contextDraft) said() string {
	if d.context == nil {
		return d.derived.Summary
	}
	isDerived := slices.Contains(d.context.DerivedFields, "summary")
	isEdited := slices.Contains(d.context.Edited(d.derived), "summary")
	if !isDerived || isEdited && !d.overwritten {
		return d.context.Summary
	}
	return d.derived.Summary
}

// projectName returns the name of the project in the context, or "". If no manifest
// names the project, this name stays, because a clone may be in any directory.
func (d contextDraft) projectName() string {
	if d.context != nil {
		for _, claim := range d.context.Claims() {
			if claim.Field == "project.name" {
				return claim.Text
			}
		}
	}
	return ""
}

func (p *Project) draft(s *scan, d *projectDir) contextDraft {
	made := contextDraft{projectDir: d}
	made.derived, made.unread = p.derive(s, d)
	made.context, made.err = p.contextIn(d)
	switch {
	case errors.Is(made.err, errMissing):
		made.err = nil
	case isRefusal(made.err):
		made.unread = made.err
	}
	made.unread = cmp.Or(d.doubt(), made.unread)
	return made
}

// derive describes a directory by its own files. Only the root also describes the
// project.
func (p *Project) derive(s *scan, d *projectDir) (contextfile.Derived, error) {
	described, err := describe.Directory(p.files(d.scope), d.scope, d.described())
	derived := contextfile.Derived{Summary: described.Summary, Files: described.Files, Exports: described.Exports}
	if len(d.described()) == 0 && len(d.subscopes) > 0 {
		derived.Summary = d.holding()
	}
	if d.scope != "." {
		return derived, p.unreadIn(d.scope, err)
	}
	bytes := map[string]int64{}
	for _, below := range s.directories {
		for _, f := range below.sources {
			bytes[strings.ToLower(path.Ext(f.name))] += f.size
		}
	}
	project, unread := describe.ProjectOf(p.files("."), d.described(), bytes)
	derived.Summary = cmp.Or(project.Description, derived.Summary)
	derived.Project = &project
	return derived, p.unreadIn(d.scope, cmp.Or(err, unread))
}

// unreadIn adds the path in the project to an error of reading a file at scope.
// Errors of opening a file only contain its name there, while errors of reading it
// contain a path below the project's root.
func (p *Project) unreadIn(scope string, err error) error {
	file, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	if below, opened := strings.CutPrefix(file.Path, p.root.Name()+string(filepath.Separator)); opened {
		return named(filepath.ToSlash(below), file.Err)
	}
	return named(path.Join(scope, file.Path), file.Err)
}

// holding returns the summary of a directory without files.
func (d *projectDir) holding() string {
	const most = 8
	var subs []string
	for _, scope := range d.subscopes {
		subs = append(subs, asUTF8(path.Base(scope)))
	}
	return "Holds the directories " + strings.Join(words.Few(subs, most), ", ") + "."
}

// files returns the directory at scope for package describe. Nothing outside the
// root can be read with it.
func (p *Project) files(scope string) fs.FS {
	sub, err := fs.Sub(p.root.FS(), scope)
	if err != nil {
		panic("dotcontext: " + err.Error()) // every scope in canonical form is a valid path
	}
	return sub
}

// described returns the sorted names of the files describing a directory:
// regular files, and READMEs that are symlinks to a regular file in the project.
// Ignored files do not describe it, because clones do not contain them.
func (d *projectDir) described() []string {
	names := slices.Clone(d.readmes)
	for _, f := range d.files {
		names = append(names, f.name)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == contextfile.ConfigName || d.rules.Match(path.Join(d.scope, name), false)
	})
	slices.Sort(names)
	return names
}

// wanted returns the directories at scopes, however small. Without scopes, it
// returns all directories that need a context or have one. It fails with [fault.IO]
// if the project does not contain a directory.
func (p *Project) wanted(s *scan, scopes []string) ([]*projectDir, error) {
	if len(scopes) == 0 {
		return s.where(isDescribed), nil
	}
	found, err := p.directoriesAt(scopes)
	if err != nil {
		return nil, err
	}
	for i, d := range found {
		// The scan's directory contains the rules from above.
		if at := slices.IndexFunc(s.directories, func(known *projectDir) bool { return known.scope == d.scope }); at >= 0 {
			found[i] = s.directories[at]
		} else {
			s.warnings = append(s.warnings, d.scope+": status does not look there, because the directory is ignored or below max_depth")
		}
	}
	return found, nil
}

// A draftTree contains the drafts of all directories with any files, whether
// they are kept or not.
type draftTree struct {
	name   string                    // of the root directory
	inGit  bool                      // so the files of clones get other times
	below  map[string][]contextDraft // by parent, sorted by scope
	at     map[string]contextDraft   // by scope
	all    []contextDraft            // sorted by scope
	doubts map[string]error          // by scope: the first refusal there or below
}

func newTree(name string, drafts []contextDraft) draftTree {
	t := draftTree{name: name, below: map[string][]contextDraft{}, at: map[string]contextDraft{}, doubts: map[string]error{}}
	for _, d := range drafts {
		t.at[d.scope] = d
		t.doubt(d.scope, d.unread)
		if d.scope != "." && (d.qualifies || len(d.described()) > 0) {
			parent := path.Dir(d.scope)
			t.below[parent] = append(t.below[parent], d)
			t.all = append(t.all, d)
		}
	}
	return t
}

// doubt records a refusal to read something at scope. It also affects every context
// above, since these describe scope, too.
func (t draftTree) doubt(scope string, err error) {
	if err == nil {
		return
	}
	for _, at := range append(ancestors(scope), scope) {
		t.doubts[at] = cmp.Or(t.doubts[at], err)
	}
}

// inForm returns options with the form of fingerprint for d. Unless they name a
// form, a new context gets the form of the nearest context above. Otherwise, a
// project in a git repository gets fingerprints of contents, because these stay
// the same in clones.
func (t draftTree) inForm(options WriteOptions, d contextDraft) WriteOptions {
	if d.context != nil || options.Content || options.Times {
		return options
	}
	options.Content = t.inGit
	for _, above := range slices.Backward(ancestors(d.scope)) {
		if c := t.at[above].context; c != nil {
			options.Content = c.OfContents
			break
		}
	}
	if total, _ := sizesOf(d.unignored()); total > maxHashed {
		options.Content = false
	}
	return options
}

// derived returns the derived fields of d's context.
func (t draftTree) derived(d contextDraft) contextfile.Derived {
	derived := d.derived
	below := t.below[d.scope]
	for _, sub := range below[:min(len(below), subdirectories)] {
		derived.Subdirectories = append(derived.Subdirectories,
			contextfile.Subdirectory{Name: path.Base(sub.scope), Summary: sub.said()})
	}
	if derived.Project == nil {
		return derived
	}
	project := *derived.Project
	project.Name = cmp.Or(project.Name, d.projectName(), t.name)
	project.Description = cmp.Or(project.Description, d.said())
	derived.Project = &project
	for _, place := range t.structure() {
		derived.Structure = append(derived.Structure, contextfile.StructureEntry{Path: place.scope, Summary: place.said()})
	}
	return derived
}

// structure lists the directories near the root. If they are too many, it lists
// fewer levels.
func (t draftTree) structure() (places []contextDraft) {
	for depth := structureDepth; depth > 0 && (places == nil || len(places) > structureSize); depth-- {
		places = slices.DeleteFunc(slices.Clone(t.all), func(d contextDraft) bool { return strings.Count(d.scope, "/") >= depth })
	}
	return places[:min(len(places), structureSize)]
}

// initialized returns a new context of d, or the refreshed text of the context. It also returns
// the derived fields to keep because a person or another program wrote their values.
func (p *Project) initialized(ctx context.Context, d *projectDir, before []byte, derived contextfile.Derived, options WriteOptions) (after []byte, kept []string, err error) {
	if before == nil {
		computed, err := p.fingerprintOf(ctx, d, options.Content)
		if err != nil {
			return nil, nil, err
		}
		after = contextfile.New(d.scope, computed, options.LastUpdated, derived)
		if options.Content {
			if after, err = contextfile.MarkContents(after); err != nil {
				return nil, nil, err
			}
		}
		after, err = contextfile.RecordDerived(after)
		return after, nil, err
	}
	described, err := contextfile.Parse(before)
	if err != nil {
		return nil, nil, err
	}
	if !options.Overwrite {
		kept = described.Edited(derived)
	}
	after, err = contextfile.SetDerived(before, derived, kept...)
	if err == nil {
		after, err = contextfile.RecordDerived(after, kept...)
	}
	if err == nil && len(kept) == 0 && described.IsWhollyDerived() {
		after, err = p.refreshed(ctx, d, after, described, options)
	}
	return after, kept, err
}
