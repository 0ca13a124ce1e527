package targets

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/packages"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

// addPackage adds a package where a package manager installed it.
func addPackage(text string) (Addition, error) {
	ref, err := packages.ParseReference(text)
	return Addition{Name: path.Base(ref.Name), Fields: []KeyValue{{"package", quoted(text)}}}, err
}

// packageExtensions are the extensions of pages in packages. Go packages document their API in
// the code.
var packageExtensions = map[packages.Registry][]string{
	packages.NPM:    {"md", "mdx", "markdown"},
	packages.Go:     {"md", "mdx", "markdown", "go"},
	packages.Python: {"md", "mdx", "markdown"},
}

// notOfPackage lists directories of packages with pages for tests or of other projects, or about
// code that other modules cannot import.
var notOfPackage = map[packages.Registry][]string{
	packages.NPM:    {"testdata", "vendor"},
	packages.Go:     {"testdata", "vendor", "internal"},
	packages.Python: {"testdata", "vendor", "_vendor"},
}

// readPackage keeps the mount of an installed package, which is located when a build starts.
func (r *nodeReader) readPackage(given keyNodes, s *declaredSource) (err error) {
	var ref packages.Reference
	err = r.value(given, "package", parsed(r, yaml12.Text, packages.ParseReference, &ref))
	s.Dir = ref.String()
	s.product = ref.Name
	project := r.environment.workspace(r.dir)
	s.Locate = func(_ context.Context, m pipeline.Mount) (pipeline.Mount, error) {
		found, err := project.Find(ref)
		if err != nil {
			return m, err
		}
		return mountOf(m, found), nil
	}
	return err
}

// workspace returns the dependencies of the project in a directory.
func (e Environment) workspace(dir string) packages.Workspace {
	return packages.Workspace{Dir: dir, ModuleCache: e.ModuleCache, VirtualEnv: e.VirtualEnv}
}

// mountOf returns the mount of an installed package. By default, the paths of its pages begin
// with its name and version.
func mountOf(m pipeline.Mount, found packages.Package) pipeline.Mount {
	m.Dir = found.Dir
	if (document.Product{Name: found.Name, Version: found.Version}).Check() == nil {
		m.Version = found.Version
	}
	if m.Prefix == "" {
		m.Prefix = found.Prefix()
	}
	m.SkipNames = notOfPackage[found.Registry]
	if found.Registry == packages.Go {
		m.GoModule = found.Name
	}
	if len(m.Include) == 0 && len(m.Extensions) == 0 {
		m.Extensions = packageExtensions[found.Registry]
		if found.Registry == packages.Python {
			m.Names = []string{convert.PythonMetadata}
		}
	}
	m.Files = found.Files
	m.Watch = found.Watch
	return m
}

// ErrNoPackages is the error of [Proposal.AddPackages] if no dependency ships documentation.
var ErrNoPackages = errors.New("no dependency with documentation is installed")

// notDocumentation are names of pages, in lower case and without an extension, that tell
// users of a package nothing. A package with no other page is not proposed.
var notDocumentation = []string{
	"changelog", "changes", "code_of_conduct", "contributing", "contributors", "history", "license", "notice", "security", "third_party_notices",
}

// AddPackages adds a target for the packages that a project itself depends on, if they ship
// documentation. It returns why the others among the installed ones cannot be read.
//
// It fails with [ErrNoPackages], and with [fault.IO] if the project cannot be read.
func (p *Proposal) AddPackages(ctx context.Context, dir string, environment Environment) (problems []string, err error) {
	project := environment.workspace(dir)
	refs, err := project.Direct()
	if err != nil {
		return nil, err
	}
	target := ProposedTarget{Name: "packages", Description: "Documentation of the packages that this project uses"}
	for _, ref := range refs {
		found, err := project.Find(ref)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		pages, err := pagesOf(ctx, found)
		if err != nil {
			return nil, err
		}
		if pages > 0 {
			target.Sources = append(target.Sources, ProposedSource{Package: ref.String(), Pages: pages})
		}
	}
	if target.Sources == nil {
		return problems, fault.Errorf(fault.IO, "%s: %w", dir, ErrNoPackages)
	}
	if slices.ContainsFunc(p.Targets, func(t ProposedTarget) bool { return t.Name == target.Name }) {
		target.Name = "dependencies"
	}
	p.Targets = append(p.Targets, target)
	return problems, nil
}

// pagesOf counts the pages of a package, or returns 0 if none of them is documentation.
func pagesOf(ctx context.Context, found packages.Package) (pages int, err error) {
	roots, err := sources.OpenRoots(ctx, []pipeline.Mount{mountOf(pipeline.Mount{SkipHidden: true}, found)})
	if err != nil {
		return 0, err
	}
	defer roots.Close()
	all, err := sources.Discover(ctx, roots, pipeline.SourceFilter{}, 0)
	if err != nil {
		return 0, err
	}
	isUseful := func(s sources.Source) bool {
		name := strings.ToLower(path.Base(s.Path))
		return !slices.Contains(notDocumentation, strings.TrimSuffix(name, path.Ext(name)))
	}
	if !slices.ContainsFunc(all.Documents, isUseful) {
		return 0, nil
	}
	return len(all.Documents), nil
}
