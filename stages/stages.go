// Package stages holds the steps of a build for one page, one file each:
//
//	Read → Parse → Normalize → Hash → Index → Write → Seal
//
// Each is a plain function from one named type to the next. No step knows its
// neighbours, and none changes its input. Package sources finds the pages, and Read reads
// one of them; Write and Seal call package cache; the steps between them touch no disk.
package stages
