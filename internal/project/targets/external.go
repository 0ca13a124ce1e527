package targets

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/acquire/packages"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/pipeline"
)

// Environment says where sources outside of a project are. The zero value knows none.
type Environment struct {
	ModuleCache string // of Go
	VirtualEnv  string // of Python; "" means that of the project
	Store       store.Store
	Now         time.Time // notes the use of entries in the store
	Workshop    actions.Workshop
}

// ErrNotFetched means a source must be fetched before a build can read it.
var ErrNotFetched = errors.New("is not fetched")

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

// keepPackage makes a mount of an installed package, which is located when a build starts.
func (r *nodeReader) keepPackage(m *pipeline.Mount) use {
	return func(node *yaml.Node) error {
		var text string
		if err := r.text(&text)(node); err != nil {
			return err
		}
		ref, err := packages.ParseReference(text)
		if err != nil {
			return r.wrong(node, "%w", err)
		}
		project := packages.Workspace{Dir: r.dir, ModuleCache: r.environment.ModuleCache, VirtualEnv: r.environment.VirtualEnv}
		m.Dir = ref.String()
		m.Locate = func(_ context.Context, m pipeline.Mount) (pipeline.Mount, error) {
			found, err := project.Find(ref)
			if err != nil {
				return m, err
			}
			return mountOf(m, found), nil
		}
		return nil
	}
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

// keepRemote makes a mount of a pinned source, which is located in the store when a build starts.
func (r *nodeReader) keepRemote(m *pipeline.Mount, source fetch.Origin) {
	lock, environment := LockPath(r.path), r.environment
	m.Dir = source.String()
	m.Locate = func(_ context.Context, m pipeline.Mount) (pipeline.Mount, error) {
		l, err := ReadLock(lock)
		if err != nil {
			return m, err
		}
		pin, isPinned := l.Find(source)
		if !isPinned {
			return m, fault.Errorf(fault.Stale, "%s %w: %s does not list it", source, ErrNotFetched, lock)
		}
		entry, err := environment.Store.Find(pin.Key(), environment.Now)
		if err != nil {
			return m, err
		}
		if entry == "" {
			return m, fault.Errorf(fault.IO, "%s %w: %s is not in %s", source, ErrNotFetched, pin.Key(), environment.Store.Dir)
		}
		m.Dir = pin.Pages(entry)
		if path, err := files.Absolute(lock); err == nil {
			m.Watch = []string{path}
		}
		return m, nil
	}
}

// LockPath returns the path of the lock file for the Contextfile at a path.
func LockPath(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".lock"
}
