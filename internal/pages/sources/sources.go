// Package sources finds the pages of a build, either below directories ([Discover]) or
// in a list ([DiscoverListed]). It opens them for the build ([Open]) and collects
// warnings about files that a build leaves out.
//
// Every list in the result is sorted, so the result doesn't depend on the order of the
// file system or on the number of jobs.
package sources
