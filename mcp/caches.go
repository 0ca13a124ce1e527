package mcp

import (
	"errors"
	"fmt"
	"maps"
	"os"
	slashpath "path"
	"slices"
	"strings"
	"syscall"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
)

const (
	// maxOpen is how many caches a single call can open, and how many stay open between calls.
	// An open cache needs four descriptors, and calls at the same time can need several times
	// as many.
	maxOpen = 1024
	// maxDescribed is how many caches the instructions describe. The others are only named,
	// because opening them all would delay the start, and there is no room for their texts.
	maxDescribed = 64
	// maxDirectories is how many directories below a cache root a call searches for caches.
	maxDirectories = 4096
)

// caches are the caches available to agents by name: either the caches in the settings, or all
// caches below a root, by their slash paths. Every call looks for them again, because they may come
// and go, but unchanged caches stay open between calls. Safe for concurrent use.
type caches struct {
	paths map[string]func() string // by name; nil means the caches below root
	root  string
	warm  warmSet

	project agent.ProjectReader // nil without a project
}

func newCaches(cfg Settings) *caches {
	c := &caches{root: cfg.CacheRoot, warm: warmSet{most: maxOpen}}
	if len(cfg.Caches) > 0 {
		c.paths = map[string]func() string{}
	}
	for _, named := range cfg.Caches {
		c.paths[named.Name] = named.Current
		if named.Current == nil {
			c.paths[named.Name] = func() string { return named.Path }
		}
	}
	return c
}

// callCaches are the caches as a single call sees them. The call must close them.
type callCaches struct {
	*caches
	root   *os.Root // nil if the settings list the caches
	opened []openCache
}

// An openCache is a cache in use by a call.
type openCache struct {
	name    string
	cache   *answers.Cache
	release func()
}

// forCall opens the root. It fails with an [unavailableError].
func (c *caches) forCall() (*callCaches, error) {
	if c.paths != nil {
		return &callCaches{caches: c}, nil
	}
	root, err := openRoot(c.root)
	if err != nil {
		return nil, &unavailableError{"the cache root", err}
	}
	return &callCaches{caches: c, root: root}, nil
}

// close releases the caches. If the call failed because of a cache, the next call opens the
// caches again, since the user may have repaired them in place.
func (c *callCaches) close(failed error) {
	_, isFault := errors.AsType[*fault.Error](failed)
	for _, used := range c.opened {
		if isFault {
			c.warm.forget(used.cache)
		}
		used.release()
	}
	if c.root != nil {
		c.root.Close()
	}
}

func (c *callCaches) openedNames() string {
	names := make([]string, len(c.opened))
	for i, used := range c.opened {
		names[i] = used.name
	}
	return "the caches " + strings.Join(names, ", ")
}

// open opens the caches with these names, or all caches if names is empty, and returns those of a
// product, or all of them if product is "". If the settings list a single cache, IDs don't begin
// with its name. It fails with an [agent.ArgumentError] if a cache or the product doesn't exist or
// there are too many caches, and with an [unavailableError] if a cache cannot be opened.
func (c *callCaches) open(names []string, product string) (_ *answers.Set, err error) {
	if len(names) == 0 {
		if names, err = c.names(); err != nil {
			return nil, err
		}
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > maxOpen {
		return nil, argumentErrorf("%d caches are too many at once: name at most %d in caches", len(names), maxOpen)
	}
	var members []answers.Member
	for _, name := range names {
		opened, err := c.openOne(name)
		if err != nil {
			return nil, err
		}
		members = append(members, answers.Member{Name: name, Cache: opened})
	}
	if len(c.paths) == 1 {
		members[0].Name = ""
	}
	if members, err = agent.OfProduct(members, product); err != nil {
		return nil, err
	}
	return answers.NewSet(members)
}

func (c *callCaches) openOne(name string) (*answers.Cache, error) {
	at, known := c.locationOf(name)
	if !known {
		return nil, c.unknown(name)
	}
	opened, release, err := c.warm.open(at)
	if err == nil {
		c.opened = append(c.opened, openCache{name, opened, release})
		return opened, nil
	}
	if c.root != nil && fault.CodeOf(err) == fault.CacheMissing {
		return nil, c.unknown(name)
	}
	if errors.Is(err, syscall.EMFILE) {
		err = fmt.Errorf("%w: raise the limit (ulimit -n), ask fewer caches, or merge them", err)
	}
	return nil, &unavailableError{"the cache " + name, err}
}

// leastDigits is how many digits of a version are enough to name a cache.
const leastDigits = 8

// version opens the cache with a name, or with a version as answers print it, such as
// docs@3714a6418d58.
func (c *callCaches) version(reference string) (answers.Member, error) {
	opened, err := c.openOne(reference)
	if _, isUnknown := errors.AsType[agent.ArgumentError](err); !isUnknown {
		return answers.Member{Name: reference, Cache: opened}, err
	}
	name, digits, hasName := strings.Cut(reference, "@")
	if !hasName {
		name, digits = "", reference
	}
	digits = strings.TrimPrefix(digits, "sha256:")
	names, _ := c.names()
	for _, other := range names[:min(len(names), maxOpen)] {
		if len(digits) < leastDigits || name != "" && name != other {
			continue
		}
		found, wrong := c.openOne(other)
		if wrong == nil && strings.HasPrefix(strings.TrimPrefix(found.Version().String(), "sha256:"), digits) {
			return answers.Member{Name: other, Cache: found}, nil
		}
	}
	return answers.Member{}, err
}

// locationOf returns where a cache should be. known is false if no cache can have the name.
func (c *callCaches) locationOf(name string) (at location, known bool) {
	if c.root != nil {
		return location{c.root, name}, hasName(name)
	}
	path, known := c.paths[name]
	if !known {
		return location{}, false
	}
	return location{nil, path()}, true
}

const mostNamed = 20

// unknown returns an error listing the existing names.
func (c *callCaches) unknown(name string) error {
	names, err := c.names()
	if err != nil {
		return err
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return argumentErrorf("no cache %q; expected one of: %s%s", name, strings.Join(names, ", "), more)
}

// names returns the sorted names of all caches. It fails with an [unavailableError] if there
// are no caches, or if the system refuses to list them.
func (c *callCaches) names() ([]string, error) {
	if c.root == nil {
		return slices.Sorted(maps.Keys(c.paths)), nil
	}
	names, _, err := cachesBelow(c.root)
	if err == nil && len(names) == 0 {
		err = fault.Errorf(fault.CacheMissing, "no cache below %s", c.caches.root)
	}
	if err != nil {
		return nil, &unavailableError{"the caches", err}
	}
	return names, nil
}

// cachesBelow returns the sorted paths of the caches below root, and separately paths unsuitable as
// names. It skips the contents of caches, hidden directories and symlinks.
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
				continue // it was removed meanwhile
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

// hasName reports whether a path below a root can be the name of a cache.
func hasName(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if !answers.IsName(part) {
			return false
		}
	}
	return true
}

func argumentErrorf(format string, args ...any) error {
	return agent.ArgumentError(fmt.Sprintf(format, args...))
}
