// Package stages holds the steps that a build takes one page through, one file each:
//
//	Read → Parse → Normalize → Hash → Index
//
// Each is a plain function from one named type to the next. No step knows its neighbours,
// and none changes its input. Only Read touches the disk.
//
// Package sources finds the pages before, and cache.Writer writes the documents and seals
// the cache afterwards.
package stages
