// Package stages holds the steps of a build, one file each:
//
//	Discover → ( Read → Parse → Normalize → Hash → Index → Write ) → Seal
//
// Each is a plain function from one named type to the next. No step knows its
// neighbours, and none changes its input. Discover and Read look at the sources;
// Write and Seal call package cache; the steps between them touch no disk.
package stages
