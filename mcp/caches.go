package mcp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/resolve"
)

const (
	// maxOpen is the number of caches that one call may open, and that stay open
	// between calls.
	maxOpen = 64
	// maxDirectories is the number of directories below a cache root that a call
	// looks at to find the caches.
	maxDirectories = 4096
)

// A library has the caches that agents know by name: those that a configuration names, or
// all below a root, by their slash path. Every call looks for them anew, and unchanged
// ones stay open between calls. It is safe for concurrent use.
type library struct {
	paths map[string]string // by name; nil for the caches below root
	root  string
	warm  warmSet

	project agent.Project // nil if there is none
}

func newLibrary(cfg Config) *library {
	l := &library{root: cfg.CacheRoot, warm: warmSet{most: maxOpen}}
	if len(cfg.Caches) > 0 {
		l.paths = map[string]string{}
	}
	for _, c := range cfg.Caches {
		l.paths[c.Name] = c.Path
	}
	return l
}

// A visit is one call's view of a library. Close it at the end.
type visit struct {
	*library
	root  *os.Root // nil if the library has paths
	loans []loan
}

// A loan is an open cache of a visit.
type loan struct {
	name   string
	cache  *resolve.Cache
	giveUp func()
}

// visit opens the root. It fails with an [unavailableError].
func (l *library) visit() (*visit, error) {
	if l.paths != nil {
		return &visit{library: l}, nil
	}
	root, err := openRoot(l.root)
	if err != nil {
		return nil, &unavailableError{"the cache root", err}
	}
	return &visit{library: l, root: root}, nil
}

// close gives the caches back. If the call failed for their sake, the next one opens them
// anew.
func (v *visit) close(failed error) {
	_, isFault := errors.AsType[*fault.Error](failed)
	for _, lent := range v.loans {
		if isFault {
			v.warm.forget(lent.cache)
		}
		lent.giveUp()
	}
	if v.root != nil {
		v.root.Close()
	}
}

// lent names the open caches of the visit for an error.
func (v *visit) lent() string {
	names := make([]string, len(v.loans))
	for i, lent := range v.loans {
		names[i] = lent.name
	}
	return "the caches " + strings.Join(names, ", ")
}

// open opens the caches with these names, or all if names is empty. The IDs of a library
// with a single path have no name before them. It fails with an [agent.ArgumentError] if there is no such cache or there are too many, and with
// an [unavailableError] if one cannot be opened.
func (v *visit) open(names []string) (_ *resolve.Set, err error) {
	if len(names) == 0 {
		if names, err = v.names(); err != nil {
			return nil, err
		}
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > maxOpen {
		return nil, argumentErrorf("%d caches are too many at once: name at most %d in caches", len(names), maxOpen)
	}
	var members []resolve.Member
	for _, name := range names {
		c, err := v.openOne(name)
		if err != nil {
			return nil, err
		}
		members = append(members, resolve.Member{Name: name, Cache: c})
	}
	if len(v.paths) == 1 {
		members[0].Name = ""
	}
	return resolve.NewSet(members)
}

func (v *visit) openOne(name string) (*resolve.Cache, error) {
	at, known := v.placeOf(name)
	if !known {
		return nil, v.unknown(name)
	}
	c, giveUp, err := v.warm.open(at)
	if err == nil {
		v.loans = append(v.loans, loan{name, c, giveUp})
		return c, nil
	}
	if v.root != nil && fault.CodeOf(err) == fault.CacheMissing {
		return nil, v.unknown(name)
	}
	return nil, &unavailableError{"the cache " + name, err}
}

// placeOf returns the place of a cache. It is not known if no cache can have the name.
func (v *visit) placeOf(name string) (at place, known bool) {
	if v.root != nil {
		return place{v.root, name}, hasName(name)
	}
	path, known := v.paths[name]
	return place{nil, path}, known
}

// mostNamed is how many caches an error names.
const mostNamed = 20

// unknown returns the error for a name that no cache has.
func (v *visit) unknown(name string) error {
	names, err := v.names()
	if err != nil {
		return err
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return argumentErrorf("there is no cache %q; there are: %s%s", name, strings.Join(names, ", "), more)
}

// names returns the names of all caches, sorted. It fails with an [unavailableError] if
// there are none, or the system refuses.
func (v *visit) names() ([]string, error) {
	if v.root == nil {
		return slices.Sorted(maps.Keys(v.paths)), nil
	}
	names, _, err := cachesBelow(v.root)
	if err == nil && len(names) == 0 {
		err = fault.Errorf(fault.CacheMissing, "there is no cache below %s", v.library.root)
	}
	if err != nil {
		return nil, &unavailableError{"the caches", err}
	}
	return names, nil
}

// cachesBelow returns the sorted paths of the caches below root, and of those that no
// agent can name. It looks into no cache, hidden directory or symlink.
func cachesBelow(root *os.Root) (caches, unnamed []string, err error) {
	level := []string{"."}
	for looked := 0; len(level) > 0; {
		var next []string
		for _, dir := range level {
			if looked++; looked > maxDirectories {
				return nil, nil, fault.Errorf(fault.IO, "more than %d directories below the cache root", maxDirectories)
			}
			below, err := directoriesIn(root, dir)
			if err != nil && dir != "." && fault.CodeOf(err) == fault.CacheMissing {
				continue // it has just gone
			}
			if err != nil {
				return nil, nil, err
			}
			for _, path := range below {
				isCache, err := hasManifest(root, path)
				switch {
				case err != nil:
					return nil, nil, err
				case !isCache && slashpath.Base(path)[0] != '.':
					next = append(next, path)
				case isCache && hasName(path):
					caches = append(caches, path)
				case isCache:
					unnamed = append(unnamed, path)
				}
			}
		}
		level = next
	}
	slices.Sort(caches)
	return caches, unnamed, nil
}

// hasName reports whether a path below a root is the name of a cache.
func hasName(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if !resolve.IsName(part) {
			return false
		}
	}
	return true
}
