// Package sources finds the pages of a build: below directories ([Discover]) or in a list
// ([DiscoverListed]). It opens them for the build ([Open]), and tells a person what a build
// leaves out and why.
//
// The result is the same in any order of the file system and with any number of jobs: all
// lists are sorted.
package sources
