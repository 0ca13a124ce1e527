// Package project contains the Contextfile: its targets, and the events that make them out of date.
// Its packages may import answer and acquire, and all that these may import.
// Start with targets.Read and watch.Watcher.
package project
