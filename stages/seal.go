package stages

import "github.com/contextcompiler/context/cache"

// Seal publishes the cache of entries, which are sorted by ID.
func Seal(out *cache.Writer, entries []cache.Entry, createdAt string) (cache.Manifest, error) {
	return out.Seal(entries, createdAt)
}
