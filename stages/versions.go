package stages

// The version of a stage must increase whenever the same source would become a different
// document, because a build copies documents from a cache only if its versions are the
// same.
//
// Libraries shape documents, too, so their versions are included here. A test compares
// them with go.mod.
const (
	convertVersion   = "convert 1"
	parseVersion     = "parse 8 (goldmark v1.8.7, yaml v3.0.6, toml v1.6.0)"
	normalizeVersion = "normalize 2"
	hashVersion      = "hash 1"
	indexVersion     = "index 13"
	writeVersion     = "write 1"
)

// Versions identifies all code with an influence on documents, except the rules of the
// converters. Because each converted document names its converter, a change to one of them
// doesn't affect other documents.
const Versions = convertVersion + ", " + parseVersion + ", " + normalizeVersion + ", " + hashVersion + ", " + indexVersion + ", " + writeVersion
