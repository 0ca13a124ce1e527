package stages

// Each stage whose code shapes documents has a version. It goes up whenever the same
// source would become another document. A build copies nothing from a cache that other
// versions made.
//
// A library shapes documents too. A test keeps its version here equal to go.mod's.
const (
	parseVersion     = "parse 5 (goldmark v1.8.7, yaml v3.0.6)"
	normalizeVersion = "normalize 2"
	hashVersion      = "hash 1"
	indexVersion     = "index 12"
	writeVersion     = "write 1"
)

// Versions names all code that shapes documents.
const Versions = parseVersion + ", " + normalizeVersion + ", " + hashVersion + ", " + indexVersion + ", " + writeVersion
