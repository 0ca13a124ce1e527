// Package caches contains what a cache is: its files, its index, and how both are written, read,
// checked and merged. Its packages may import pages and base, and the stages of a build.
// Start with cache.Open and index.Builder.
package caches
