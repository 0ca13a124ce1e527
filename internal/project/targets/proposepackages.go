package targets

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/packages"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

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
	project := packages.Workspace{Dir: dir, ModuleCache: environment.ModuleCache, VirtualEnv: environment.VirtualEnv}
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
