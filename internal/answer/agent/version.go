package agent

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A versionNumber is the version of a product, taken apart to compare it. Numbers stay texts,
// because dates and build numbers can have any length.
//
// The order is that of Semantic Versioning (https://semver.org/#spec-item-11) with any number of
// segments, so it also suits calendar versions. Python's pre-releases, such as 3.14rc1, need no
// hyphen (https://peps.python.org/pep-0440/). A version without a number, such as main, comes
// before all numbers.
type versionNumber struct {
	word     string   // the whole version if it doesn't begin with a number
	segments []string // of the release, such as 16, 4 and 6
	stage    maturity
	parts    []string // identifiers after the release, such as rc and 1
	build    string   // after "+"; doesn't count in the order
}

// A maturity says whether a version comes before or after the release of its number.
type maturity int

const (
	preRelease maturity = iota - 1
	release
	postRelease
)

var (
	versionForm = lazy.Regexp(`^[vV]?([0-9]+(?:\.[0-9]+)*)(.*)$`)
	dateForm    = lazy.Regexp(`^([0-9]{4})-([0-9]{2})(?:-([0-9]{2}))?$`)
	suffixPart  = lazy.Regexp(`[0-9]+|\pL+`)
)

func parseVersionNumber(text string) versionNumber {
	if date := dateForm().FindStringSubmatch(text); date != nil {
		text = strings.TrimSuffix(strings.Join(date[1:], "."), ".")
	}
	number, build, _ := strings.Cut(text, "+")
	found := versionForm().FindStringSubmatch(number)
	if found == nil {
		return versionNumber{word: text}
	}
	v := versionNumber{segments: strings.Split(found[1], "."), build: build}
	suffix, isSemantic := strings.CutPrefix(found[2], "-")
	switch {
	case found[2] == "":
		return v
	case isSemantic:
		v.parts = strings.Split(suffix, ".")
	default:
		v.parts = suffixPart().FindAllString(strings.ToLower(suffix), -1)
	}
	switch v.stage = preRelease; {
	case len(v.parts) == 0:
		v.stage = release
	case !isSemantic && v.parts[0] == "post":
		v.stage = postRelease
	case !isSemantic && v.parts[0] == "dev":
		v.parts[0] = "" // comes before alpha
	}
	return v
}

// compare returns the order of two versions as cmp.Compare does. Versions that differ only in
// zeros at the end or in their builds, such as 16.4 and v16.4.0+1, are equal.
func (v versionNumber) compare(other versionNumber) int {
	return cmp.Or(
		cmp.Compare(min(len(v.segments), 1), min(len(other.segments), 1)), // numbers come after words
		strings.Compare(v.word, other.word),
		compareSegments(v.segments, other.segments),
		cmp.Compare(v.stage, other.stage),
		slices.CompareFunc(v.parts, other.parts, comparePart),
	)
}

// names reports whether v names another version. 16.4 names all versions that begin with 16.4,
// except its own pre-releases: 16.4-rc.1 comes before 16.4. 17.0.0-rc names the pre-releases that
// begin with 17.0.0-rc.
func (v versionNumber) names(other versionNumber) bool {
	switch {
	case !v.allows(other.build):
		return false
	case len(v.segments) == 0 || len(other.segments) == 0:
		return v.compare(other) == 0
	case v.stage == release:
		begins := compareSegments(v.segments, other.segments[:min(len(v.segments), len(other.segments))]) == 0
		return begins && (other.stage != preRelease || len(v.segments) < len(other.segments))
	}
	begins := len(v.parts) <= len(other.parts) && slices.CompareFunc(v.parts, other.parts[:len(v.parts)], comparePart) == 0
	return begins && v.stage == other.stage && compareSegments(v.segments, other.segments) == 0
}

// allows reports whether v is of a build, or says nothing about builds.
func (v versionNumber) allows(build string) bool { return v.build == "" || v.build == build }

// compareSegments compares numbers in order. A missing number is 0.
func compareSegments(a, b []string) int {
	padded := func(segments []string) []string {
		return append(slices.Clip(segments), make([]string, max(len(a), len(b))-len(segments))...)
	}
	return slices.CompareFunc(padded(a), padded(b), compareNumbers)
}

// comparePart compares identifiers. Numbers come before other identifiers.
func comparePart(a, b string) int {
	switch isA, isB := isNumber(a), isNumber(b); {
	case isA && isB:
		return compareNumbers(a, b)
	case isA:
		return -1
	case isB:
		return 1
	}
	return strings.Compare(a, b)
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
