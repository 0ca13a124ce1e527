// This file compiles patterns and matches paths like git's wildmatch with WM_PATHNAME.
// However, no pattern takes exponential time: see [glob.matches].

package ignore

import "strings"

// wildcards are the special bytes of a pattern.
const wildcards = `*?[\`

// A glob is a compiled pattern.
type glob []globPart

// A globPart matches a single byte or a run of bytes.
type globPart struct {
	kind globKind
	byte byte       // of a oneByte part
	set  *byteClass // of a oneOf part
}

type globKind uint8

const (
	oneByte   globKind = iota // this byte
	oneOf                     // "?" and "[...]", a byte of a set
	runInName                 // "*", any bytes but '/'
	runOfDirs                 // "**/", nothing, or any bytes up to and including a '/'
	runOfAll                  // "**" at the end, any bytes
)

// parseGlob compiles a pattern. ok is false if nothing can match the pattern.
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

// parseRun reads the stars at the beginning of pattern. Several stars differ from a single
// star only if they fill the space between two slashes.
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

// parseByte reads a literal byte, which can follow a '\'.
func parseByte(pattern string) (b byte, rest string, ok bool) {
	pattern = strings.TrimPrefix(pattern, `\`)
	if pattern == "" {
		return 0, "", false
	}
	return pattern[0], pattern[1:], true
}

// matches reports whether the glob matches all of text.
//
// Each run starts with as few bytes as possible. If a later part doesn't match, only the latest run
// takes more, because it can reach every position a longer earlier run would lead to. Runs within a
// name are an exception, because they end at a '/'. Therefore, matches also remembers the latest
// run across names.
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

// takes reports whether a oneByte or oneOf part matches b.
func (p *globPart) takes(b byte) bool {
	if p.kind == oneOf {
		return p.set[b]
	}
	return p.byte == b
}

// A retry is a run and the position after it: part next of the glob, byte at of the text. The zero
// value means no run.
type retry struct {
	run      globKind
	next, at int
}

// takesMore makes the run longer by as little as possible. It returns false if the run
// can't grow.
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
