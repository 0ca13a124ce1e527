package answers

import "github.com/contextcompiler/context/selection"

// Selection returns the selection for which the cache was built.
func (c *Cache) Selection() selection.Spec { return c.built }

// Size returns the number of pages, and the number of sections in the index: 0 without an
// index and for selection 0. It fails like [Open].
func (c *Cache) Size() (pages, sections int, err error) {
	if c.index != nil {
		return c.index.Documents(), c.index.Sections(), nil
	}
	m, err := c.files.Manifest()
	return len(m.Documents), 0, err
}
