// Package stages contains the steps of a build for a single page, each in its own file:
//
//	Read → Parse → Normalize → Hash → Index
//
// Each step is a plain function from one named type to the next. It doesn't know its
// neighbours and doesn't change its input, so pages can go through the steps in
// parallel. Only Read touches the disk.
//
// Package sources finds the pages first. Afterwards, cache.Writer writes the documents
// and seals the cache.
package stages
