// Package acquire brings in what a build or an answer needs from elsewhere: repositories, archives,
// packages, the output of commands, and caches in registries. Its packages may import caches, pages
// and base, and no package that answers. Start with fetch.Fetcher and registry.Client.
package acquire
