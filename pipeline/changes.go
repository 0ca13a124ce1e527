package pipeline

import (
	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// Changes says how a cache differs from the one that it replaces.
type Changes struct {
	Replaced                           document.Version // zero if there was none
	Added, Changed, Removed, Unchanged int              // documents
}

// previous returns the manifest that the build is to replace, the zero one if
// there is none or if it is damaged.
func previous(cfg Config) (cache.Manifest, error) {
	if !cfg.Force {
		return cache.Manifest{}, nil
	}
	old, err := cache.OpenUnchecked(cfg.Cache)
	if err != nil {
		if code := fault.CodeOf(err); code == fault.CacheMissing || code == fault.CacheInvalid {
			err = nil
		}
		return cache.Manifest{}, err
	}
	defer old.Close()
	return old.Manifest, nil
}

func changesBetween(before, after cache.Manifest) Changes {
	changes := Changes{Replaced: before.Version}
	old := make(map[document.ID]document.Version, len(before.Documents))
	for _, e := range before.Documents {
		old[e.ID] = e.Version
	}
	for _, e := range after.Documents {
		version, ok := old[e.ID]
		delete(old, e.ID)
		switch {
		case !ok:
			changes.Added++
		case version != e.Version:
			changes.Changed++
		default:
			changes.Unchanged++
		}
	}
	changes.Removed = len(old)
	return changes
}
