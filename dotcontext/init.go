package dotcontext

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/internal/describe"
	"github.com/contextcompiler/context/internal/parallel"
)

// Bounds on what a context lists, so that a person can still read it.
const (
	structureDepth = 2
	structureSize  = 100
	subdirectories = 1000 // of any directory
)

// Init makes a context for every directory of the project that is to have one
// and has none, out of what lies there. Of a context that is there it refreshes
// the fields that its derived_fields names; its fingerprint only if it says
// nothing but what is derived, for nobody has looked at the rest. It fails with
// [fault.IO] if the project cannot be listed.
func (p *Project) Init(ctx context.Context, options WriteOptions) (Changes, error) {
	s, err := p.scan(ctx)
	if err != nil {
		return Changes{}, err
	}
	kept := s.kept()
	drafts, err := parallel.Each(ctx, 0, kept, func(_ context.Context, _ int, d *directory) (draft, error) {
		return p.draft(d), nil
	})
	if err != nil {
		return Changes{}, err
	}
	tree := newTree(drafts)
	wanted, err := p.wanted(s, drafts, options.Scopes)
	if err != nil {
		return Changes{}, err
	}
	root := describe.Project{}
	if slices.ContainsFunc(wanted, func(d draft) bool { return d.scope == "." }) {
		root = p.describeRoot(s)
	}
	list, err := parallel.Each(ctx, 0, wanted, func(ctx context.Context, _ int, d draft) (Change, error) {
		action, err := p.init(ctx, d, tree.derived(d, root), options)
		return changeOf(ctx, d.scope, action, err)
	})
	return Changes{list, s.allWarnings()}, err
}

// A draft is what the directory's own files say of it, and the context that it
// has already.
type draft struct {
	*directory
	summary string               // derived
	text    []byte               // of the context that is there; nil if there is none
	context *contextfile.Context // nil if there is none that can be read
	err     error                // why it cannot be read
}

// said is the summary that others are to repeat: a person's before ours.
func (d draft) said() string {
	if d.context != nil && !slices.Contains(d.context.DerivedFields, "summary") {
		return d.context.Summary
	}
	return d.summary
}

func (p *Project) draft(d *directory) draft {
	made := draft{directory: d, summary: p.summarize(d)}
	made.text, made.err = p.textIn(d)
	made.context, made.err = parsed(made.text, made.err)
	if errors.Is(made.err, errMissing) {
		made.err = nil
	}
	return made
}

// summarize describes a directory by its files, or else by its subdirectories.
func (p *Project) summarize(d *directory) string {
	if files := names(d.files); len(files) > 0 || len(d.subscopes) == 0 {
		return describe.Summary(p.files(d.scope), d.scope, files)
	}
	const most = 8
	var subs []string
	for _, scope := range d.subscopes[:min(most, len(d.subscopes))] {
		subs = append(subs, asUTF8(path.Base(scope)))
	}
	if more := len(d.subscopes) - most; more > 0 {
		subs = append(subs, fmt.Sprintf("%d more", more))
	}
	return "Holds the directories " + strings.Join(subs, ", ") + "."
}

// files are the directory at scope as describe wants it: nothing outside of the
// root is in it.
func (p *Project) files(scope string) fs.FS {
	sub, err := fs.Sub(p.root.FS(), scope)
	if err != nil {
		panic("dotcontext: " + err.Error()) // a scope in canonical form is a valid path
	}
	return sub
}

// names returns the files that tell what a directory is for, sorted.
func names(files []file) []string {
	names := make([]string, 0, len(files))
	for _, f := range files {
		if f.name != contextfile.ConfigName {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

// describeRoot describes the project as a whole.
func (p *Project) describeRoot(s *scan) describe.Project {
	bytes := map[string]int64{}
	var own []file
	for _, d := range s.directories {
		if d.scope == "." {
			own = d.files
		}
		for _, f := range d.sources {
			bytes[strings.ToLower(path.Ext(f.name))] += f.size
		}
	}
	project := describe.ProjectOf(p.files("."), names(own), bytes)
	project.Name = cmp.Or(project.Name, asUTF8(filepath.Base(p.real)))
	return project
}

// wanted returns the drafts of the directories at scopes, however small, or all
// if there are none. It fails with [fault.IO] if a scope leads to no directory
// of the project.
func (p *Project) wanted(s *scan, drafts []draft, scopes []string) ([]draft, error) {
	if len(scopes) == 0 {
		return drafts, nil
	}
	found, err := p.directoriesAt(scopes)
	if err != nil {
		return nil, err
	}
	wanted := make([]draft, len(found))
	for i, d := range found {
		wanted[i] = p.draft(s.entered(d))
	}
	return wanted, nil
}

// A tree is the drafts by the scope that they lie in, each sorted by scope.
type tree struct {
	below map[string][]draft
	all   []draft
}

func newTree(drafts []draft) tree {
	t := tree{map[string][]draft{}, drafts}
	for _, d := range drafts {
		if d.scope != "." {
			parent := path.Dir(d.scope)
			t.below[parent] = append(t.below[parent], d)
		}
	}
	return t
}

// derived returns what a context of d says of itself. Only the root's says what
// the project is.
func (t tree) derived(d draft, project describe.Project) contextfile.Derived {
	derived := contextfile.Derived{Summary: d.summary}
	below := t.below[d.scope]
	for _, sub := range below[:min(len(below), subdirectories)] {
		derived.Subdirectories = append(derived.Subdirectories,
			contextfile.Subdirectory{Name: path.Base(sub.scope), Summary: sub.said()})
	}
	if d.scope != "." {
		return derived
	}
	derived.Project = new(contextfile.Project(project))
	derived.Project.Description = cmp.Or(project.Description, d.said())
	derived.Structure = t.structure()
	return derived
}

// structure lists the directories near the root.
func (t tree) structure() (places []contextfile.Place) {
	for _, d := range t.all {
		if d.scope != "." && strings.Count(d.scope, "/") < structureDepth && len(places) < structureSize {
			places = append(places, contextfile.Place{Path: d.scope, Summary: d.said()})
		}
	}
	return places
}

// init writes the context of d, if there is something to write.
func (p *Project) init(ctx context.Context, d draft, derived contextfile.Derived, options WriteOptions) (Action, error) {
	if d.err != nil {
		return "", d.err
	}
	if d.context == nil {
		computed, err := p.fingerprintOf(ctx, d.directory, options.Content)
		if err != nil {
			return "", err
		}
		text := contextfile.New(d.scope, computed, options.LastUpdated, derived)
		return Created, p.replace(d.scope, nil, text)
	}
	after, err := contextfile.SetDerived(d.text, derived)
	if err == nil && d.context.IsWhollyDerived() {
		after, err = p.refreshed(ctx, d.directory, after, d.context.Fingerprint, options)
	}
	if err != nil || string(after) == string(d.text) {
		return Unchanged, err
	}
	return Updated, p.replace(d.scope, d.text, after)
}
