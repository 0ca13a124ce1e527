// This file compiles patterns and matches paths. It is git's wildmatch with
// WM_PATHNAME, but no pattern takes exponential time: see [glob.matches].

package ignore

import "strings"

// wildcards are the special bytes of a pattern.
const wildcards = `*?[\`

// A glob is a compiled pattern: the parts of a path in order.
type glob []globPart

// A part of a glob stands for one byte, or for a run of bytes.
type globPart struct {
	kind globKind
	byte byte       // of a oneByte part
	set  *byteClass // of a oneOf part
}

type globKind uint8

const (
	oneByte   globKind = iota // one byte: this one
	oneOf                     // "?" and "[...]", one byte of a set
	runInName                 // "*", any bytes but '/'
	runOfDirs                 // "**/", nothing, or any bytes up to and with a '/'
	runOfAll                  // "**" at the end, any bytes
)

// parseGlob compiles a pattern. It is not ok if nothing can match the pattern.
func parseGlob(pattern string) (g glob, ok bool) {
	g = make(glob, 0, len(pattern))
	beginsName := true
	for pattern != "" {
		var next globPart
		if next, pattern, ok = parsePart(pattern, beginsName); !ok {
			return nil, false
		}
		beginsName = next.kind == runOfDirs || next.kind == oneByte && next.byte == '/'
		g = append(g, next)
	}
	return g, true
}

// parsePart reads the first part of a pattern.
func parsePart(pattern string, beginsName bool) (p globPart, rest string, ok bool) {
	switch pattern[0] {
	case '*':
		p.kind, rest = parseRun(pattern, beginsName)
		return p, rest, true
	case '?':
		return globPart{kind: oneOf, set: &anyByte}, pattern[1:], true
	case '[':
		p = globPart{kind: oneOf, set: new(byteClass)}
		rest, ok = p.set.parse(pattern[1:])
		return p, rest, ok
	}
	p.byte, rest, ok = parseByte(pattern)
	return p, rest, ok
}

// parseRun reads the stars at the beginning of pattern. Two or more of them differ
// from one only if they fill the space between two slashes.
func parseRun(pattern string, beginsName bool) (k globKind, rest string) {
	rest = strings.TrimLeft(pattern, "*")
	stars := len(pattern) - len(rest)
	switch {
	case stars < 2 || !beginsName:
		return runInName, rest
	case strings.HasPrefix(rest, "/"):
		return runOfDirs, rest[1:]
	case rest == "" || strings.HasPrefix(rest, `\/`):
		return runOfAll, rest
	}
	return runInName, rest
}

// parseByte reads a literal byte, which may follow a '\'.
func parseByte(pattern string) (b byte, rest string, ok bool) {
	pattern = strings.TrimPrefix(pattern, `\`)
	if pattern == "" {
		return 0, "", false
	}
	return pattern[0], pattern[1:], true
}

// matches reports whether the glob stands for all of text.
//
// A run begins with as few bytes as it can. When a later part does not fit, the
// latest run alone takes more: it reaches every place that a longer earlier run
// would lead to. A run in a name is an exception, because it ends at a '/'. So
// matches also keeps the latest run across names.
func (g glob) matches(text string) bool {
	var inName, across retry
	next, at := 0, 0
	for next < len(g) || at < len(text) {
		switch {
		case next < len(g) && g[next].kind == runInName:
			inName = retry{runInName, next + 1, at}
			next++
		case next < len(g) && g[next].kind > runInName:
			inName, across = retry{}, retry{g[next].kind, next + 1, at}
			next++
		case next < len(g) && at < len(text) && g[next].takes(text[at]):
			next, at = next+1, at+1
		case inName.takesMore(text):
			next, at = inName.next, inName.at
		case across.takesMore(text):
			inName = retry{}
			next, at = across.next, across.at
		default:
			return false
		}
	}
	return true
}

// takes reports whether a oneByte or oneOf part stands for b.
func (p *globPart) takes(b byte) bool {
	if p.kind == oneOf {
		return p.set[b]
	}
	return p.byte == b
}

// A retry is a run with the place after it: part next of the glob, byte at of the
// text. The zero value stands for a missing run.
type retry struct {
	run      globKind
	next, at int
}

// takesMore makes the run longer, by as little as possible. It reports false if the
// run cannot grow.
func (r *retry) takesMore(text string) bool {
	if r.next == 0 || r.at == len(text) || r.run == runInName && text[r.at] == '/' {
		return false
	}
	if r.run == runOfDirs {
		slash := strings.IndexByte(text[r.at:], '/')
		r.at += slash + 1
		return slash >= 0
	}
	r.at++
	return true
}
