// Package stages contains the steps of a build for a single page, each in its own file:
//
//	Read → Convert → Parse → Normalize → Hash → Index
//
// Each step is a plain function from one named type to the next. It doesn't know its
// neighbours and doesn't change its input, so pages can go through the steps in
// parallel. Only Read touches the disk, and Convert does nothing for Markdown.
//
// Package sources finds the pages first. Afterwards, cache.Writer writes the documents
// and seals the cache.
package stages
