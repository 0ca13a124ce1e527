package targets

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/describe"
	"github.com/contextcompiler/context/internal/pages/instructions"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// ErrNoPages means [Propose] found no pages in a project.
var ErrNoPages = errors.New("contains no pages (*.md, *.mdx or *.markdown)")

// A Proposal is a Contextfile for the pages of a project.
type Proposal struct {
	Targets   []ProposedTarget
	Elsewhere []string // paths of pages outside all targets that may be documentation, sorted
	IsTracked bool     // git would track the caches
}

// A ProposedTarget is a target of a Proposal.
type ProposedTarget struct {
	Name        string
	Description string // "" for none
	Sources     []ProposedSource
}

// Pages returns the number of pages in all sources.
func (t ProposedTarget) Pages() (n int) {
	for _, s := range t.Sources {
		n += s.Pages
	}
	return n
}

// A ProposedSource is a directory of pages, or a package.
type ProposedSource struct {
	Dir        string   // slash path below the project; "" for a package
	Package    string   // such as npm:next
	At         string   // "" for none
	Extensions []string // of its pages
	Exclude    []string
	Pages      int

	paths []string // of its pages
}

// pageExtensions are the extensions of pages, in the order of a Proposal.
var pageExtensions = []string{"md", "mdx", "markdown"}

// docsNames are usual names of documentation directories.
var docsNames = []string{"docs", "doc", "documentation", "handbook", "manual", "wiki"}

// siteNames are usual names of websites, which keep their pages in content.
var siteNames = []string{"", "site", "website", "www"}

// asides are names of directories whose pages aren't documentation of the project, because
// they belong to tests, to other projects or to templates of a website.
var asides = []string{"fixtures", "layouts", "templates", "test", "testdata", "tests", "third_party", "vendor"}

func isInstructions(page string) bool { return slices.Contains(instructions.Files, path.Base(page)) }

// Propose returns a Contextfile for the project at dir. It declares a target for each
// directory of documentation, or a single target for all pages without such directories.
// Directories such as packages/*/docs share a target. Translations in directories such as
// content/ja get a target for each language, because an agent needs a single
// language. Hidden directories, node_modules and pages that git ignores are skipped.
//
// It fails with [ErrNoPages], and with [fault.IO] if the project cannot be read.
func Propose(ctx context.Context, dir string) (Proposal, error) {
	pages, err := pagesBelow(ctx, dir)
	if err != nil {
		return Proposal{}, err
	}
	if !slices.ContainsFunc(pages, func(page string) bool { return !isInstructions(page) }) {
		return Proposal{}, fault.Errorf(fault.IO, "%s %w", dir, ErrNoPages)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Proposal{}, fault.Errorf(fault.IO, "open %s: %w", dir, fault.Cause(err))
	}
	defer root.Close()
	found, elsewhere := separate(pages)
	if len(found) == 0 {
		found, elsewhere = []ProposedSource{wholeProject(pages)}, nil
	}
	isIgnored, isTree := sources.GitIgnores(dir, outputs+"/x")
	p := Proposal{Targets: group(found), Elsewhere: elsewhere, IsTracked: isTree && !isIgnored}
	p.describe(root.FS())
	return p, nil
}

// pagesBelow returns the slash paths of the pages below a directory, sorted. It leaves out drafts,
// as builds of targets do.
func pagesBelow(ctx context.Context, dir string) (pages []string, err error) {
	roots, err := sources.OpenRoots(ctx, []pipeline.Mount{{Dir: dir, Extensions: pageExtensions, SkipHidden: true}})
	if err != nil {
		return nil, err
	}
	defer roots.Close()
	found, err := sources.Discover(ctx, roots, pipeline.SourceFilter{Gitignore: true}, 0)
	if err != nil && !errors.Is(err, sources.ErrSharedID) && !errors.Is(err, sources.ErrNoPath) { // the build names them
		return nil, err
	}
	drafts, err := parallel.Each(ctx, 0, len(found.Documents), func(_ context.Context, _, i int) (bool, error) {
		return isDraft(found.Documents[i]), nil
	})
	if err != nil {
		return nil, err
	}
	for i, source := range found.Documents {
		if !drafts[i] {
			pages = append(pages, source.Path)
		}
	}
	slices.Sort(pages)
	return pages, nil
}

// isDraft reports whether a source is a draft. If it cannot be read, the build reports that.
func isDraft(source sources.Source) bool {
	file, err := sources.Open(source)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := stages.Read(file, nil)
	return err == nil && stages.IsDraft(text)
}

// separate returns the directories of documentation, and the pages elsewhere that aren't
// asides.
func separate(pages []string) (found []ProposedSource, elsewhere []string) {
	places := map[string]int{} // in found, by directory
	for _, page := range pages {
		dir, isDocs := docsDirectory(page)
		if !isDocs {
			if asideOf(page) == "" && !isInstructions(page) {
				elsewhere = append(elsewhere, page)
			}
			continue
		}
		i, isKnown := places[dir]
		if !isKnown {
			i = len(found)
			places[dir] = i
			found = append(found, ProposedSource{Dir: dir})
		}
		found[i].add(page)
	}
	slices.SortStableFunc(found, func(a, b ProposedSource) int {
		return cmp.Or(strings.Count(a.Dir, "/")-strings.Count(b.Dir, "/"), strings.Compare(a.Dir, b.Dir))
	})
	return found, elsewhere
}

// docsDirectory returns the outermost documentation directory around a page.
func docsDirectory(page string) (dir string, isDocs bool) {
	above := ""
	for name := range strings.SplitSeq(path.Dir(page), "/") {
		at := path.Join(above, name)
		switch {
		case slices.Contains(asides, name) || at == outputs:
			return "", false
		case slices.Contains(docsNames, strings.ToLower(name)), name == "content" && slices.Contains(siteNames, above):
			return at, true
		}
		above = at
	}
	return "", false
}

// wholeProject returns the project as a source. It excludes instructions, and also asides
// unless they contain all of the other pages.
func wholeProject(pages []string) ProposedSource {
	pages = slices.DeleteFunc(slices.Clone(pages), isInstructions)
	s := ProposedSource{Dir: "."}
	for _, page := range pages {
		if aside := asideOf(page); aside == "" {
			s.add(page)
		} else {
			s.Exclude = append(s.Exclude, aside+"/")
		}
	}
	slices.Sort(s.Exclude)
	s.Exclude = slices.Compact(s.Exclude)
	if s.Pages == 0 {
		s.Exclude = nil
		for _, page := range pages {
			s.add(page)
		}
	}
	s.Exclude = append(slices.Clone(instructions.Files), s.Exclude...)
	return s
}

// asideOf returns the outermost aside around a page, or "".
func asideOf(page string) string {
	for name := range strings.SplitSeq(path.Dir(page), "/") {
		if slices.Contains(asides, name) {
			return name
		}
	}
	return ""
}

func (s *ProposedSource) add(page string) {
	s.Pages++
	s.paths = append(s.paths, page)
	extension := strings.TrimPrefix(path.Ext(page), ".")
	if !slices.Contains(s.Extensions, extension) {
		s.Extensions = append(s.Extensions, extension)
		slices.SortFunc(s.Extensions, func(a, b string) int {
			return slices.Index(pageExtensions, a) - slices.Index(pageExtensions, b)
		})
	}
}

// byLanguage returns a source for each language with its own directory in s, and a source
// for the other pages. For fewer than two languages, it returns only s.
func (s ProposedSource) byLanguage() (all []ProposedSource) {
	rest := ProposedSource{Dir: s.Dir, Exclude: slices.Clone(s.Exclude)}
	for _, page := range s.paths {
		name, _, isBelow := strings.Cut(strings.TrimPrefix(page, s.Dir+"/"), "/")
		if !isBelow || !words.IsLanguage(name) {
			rest.add(page)
			continue
		}
		dir := path.Join(s.Dir, name)
		i := slices.IndexFunc(all, func(known ProposedSource) bool { return known.Dir == dir })
		if i < 0 {
			i = len(all)
			all = append(all, ProposedSource{Dir: dir, Exclude: s.Exclude})
			rest.Exclude = append(rest.Exclude, "/"+name+"/")
		}
		all[i].add(page)
	}
	switch {
	case len(all) < 2:
		return []ProposedSource{s}
	case rest.Pages > 0:
		return append([]ProposedSource{rest}, all...)
	}
	return all
}

// group returns targets for sources, in their order. Sources such as packages/a/docs and
// packages/b/docs share a target, while other sources are split by language.
func group(sources []ProposedSource) (targets []ProposedTarget) {
	siblings := map[string]int{}
	for _, s := range sources {
		parent, _ := familyOf(s.Dir)
		siblings[parent]++
	}
	byPlace := map[string]int{}
	for _, s := range sources {
		parent, own := familyOf(s.Dir)
		if parent == "" || siblings[parent] == 1 {
			for _, part := range s.byLanguage() {
				targets = append(targets, ProposedTarget{Name: part.Dir, Sources: []ProposedSource{part}})
			}
			continue
		}
		if _, isKnown := byPlace[parent]; !isKnown {
			byPlace[parent] = len(targets)
			targets = append(targets, ProposedTarget{Name: parent})
		}
		s.At = own
		family := &targets[byPlace[parent]]
		family.Sources = append(family.Sources, s)
	}
	nameAll(targets)
	return targets
}

// familyOf returns packages/*/docs and a for packages/a/docs. It returns nothing if the
// path is too short, or if its pages couldn't be at a.
func familyOf(dir string) (family, own string) {
	parent, last := path.Split(dir)
	above, own := path.Split(strings.TrimSuffix(parent, "/"))
	if above == "" || (pipeline.Mount{Prefix: own}).Check() != nil {
		return "", ""
	}
	return above + "*/" + last, own
}

// nameAll replaces the directories in the names of targets by valid names.
func nameAll(targets []ProposedTarget) {
	taken := map[string]bool{}
	for i := range targets {
		place := targets[i].Name
		if above, _, isFamily := strings.Cut(place, "/*/"); isFamily {
			place = above
		}
		if len(targets) == 1 {
			place = "docs"
		}
		name := nameFor(place)
		for n := 2; taken[name]; n++ {
			name = nameFor(place) + "-" + strconv.Itoa(n)
		}
		taken[name] = true
		targets[i].Name = name
	}
}

func nameFor(dir string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_.", r) {
			return r
		}
		return '-'
	}, strings.ToLower(dir))
	return cmp.Or(strings.Trim(name, "-."), "docs")
}

// describe adds descriptions from the READMEs and manifests of the project and its
// sources.
func (p *Proposal) describe(fsys fs.FS) {
	whole := introduction(fsys, ".")
	for i := range p.Targets {
		t := &p.Targets[i]
		if len(t.Sources) == 1 {
			t.Description = introduction(fsys, t.Sources[0].Dir)
		}
		if t.Description == "" || len(p.Targets) == 1 && whole != "" {
			t.Description = whole
		}
	}
}

// introduction returns a sentence about a directory from its README or manifest, or "".
func introduction(fsys fs.FS, dir string) string {
	below, err := fs.Sub(fsys, dir)
	if err != nil {
		return ""
	}
	entries, err := fs.ReadDir(below, ".")
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	said, err := describe.Introduction(below, names)
	if err != nil {
		return ""
	}
	said, _ = document.ParseDescription(said) // "" if it is too long
	return said
}
