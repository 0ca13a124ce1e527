package stages

// Each stage whose code decides what a document is has a version, which goes up
// whenever the same source would become another document. A build takes nothing
// over from a cache that other versions made.
//
// A library decides, too: a test keeps its version here that of go.mod.
const (
	parseVersion     = "parse 1 (goldmark v1.8.7, yaml v3.0.6)"
	normalizeVersion = "normalize 1"
	hashVersion      = "hash 1"
	indexVersion     = "index 1"
	writeVersion     = "write 1"
)

// Versions names all that decides what is made of a source.
const Versions = parseVersion + ", " + normalizeVersion + ", " + hashVersion + ", " + indexVersion + ", " + writeVersion
