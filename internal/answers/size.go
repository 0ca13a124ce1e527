package answers

import "github.com/contextcompiler/context/selection"

// Selection returns the selection that the cache was built for.
func (c *Cache) Selection() selection.Spec { return c.built }

// Size returns how many pages the cache has, and how many sections its index has:
// 0 without an index, and for selection 0. It fails as [Open] does.
func (c *Cache) Size() (pages, sections int, err error) {
	if c.index != nil {
		return c.index.Documents(), c.index.Sections(), nil
	}
	m, err := c.files.Manifest()
	return len(m.Documents), 0, err
}
