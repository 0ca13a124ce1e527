package answers

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

// This file takes paths as answers print them and as people write them. A pattern means what
// .gitignore says as long as it matches a page. Otherwise, other meanings are tried.

// noPage is a pattern that matches no ID.
const noPage = "\x00"

// mostUnclear is how many patterns that match no page are tried with other meanings, because each
// of these costs a look at all IDs.
const mostUnclear = 32

// Narrow returns a filter for each member of a set, so that the patterns match as many pages as
// possible. A pattern can begin with the name of a member, see docs/contract.md.
func Narrow(ctx context.Context, members []Member, filter selection.Filter) ([]selection.Filter, error) {
	filters := make([]selection.Filter, len(members))
	n := narrower{ctx: ctx, members: members, ids: make([][]document.ID, len(members))}
	for i, of := range members {
		filters[i].Where = filter.Where
		if len(filter.Paths) == 0 {
			continue
		}
		var err error
		if n.ids[i], err = of.Documents(); err != nil {
			return nil, err
		}
	}
	for _, text := range filter.Paths {
		path, keepsOut := strings.CutPrefix(text, "!")
		for _, m := range n.meaningOf(path) {
			for i, of := range members {
				pattern := m.pattern
				if m.isOfMember && m.member != of.Name {
					pattern = noPage
				}
				if keepsOut {
					pattern = "!" + pattern
				}
				filters[i].Paths = append(filters[i].Paths, pattern)
			}
		}
	}
	return filters, context.Cause(ctx)
}

// Allows reports whether the paths of a filter allow any page of members.
func Allows(ctx context.Context, members []Member, filter selection.Filter) (bool, error) {
	filters, err := Narrow(ctx, members, filter)
	if err != nil {
		return false, err
	}
	for i, of := range members {
		ids, err := of.Documents()
		if err != nil {
			return false, err
		}
		isAllowed := pageFilter(filters[i]).paths()
		if slices.ContainsFunc(ids, func(id document.ID) bool { return isAllowed == nil || isAllowed(string(id)) }) {
			return true, nil
		}
	}
	return false, nil
}

// CutField returns the key and the value of an element of Filter.Where.
func CutField(where string) (key, value string, isNot bool) {
	field, isNot := cutField(where)
	key, value, _ = strings.Cut(words.Lower(field), "=")
	return key, value, isNot
}

type narrower struct {
	ctx     context.Context
	members []Member
	ids     [][]document.ID
	unclear int
}

// A memberPattern is a pattern for the pages of a member, or of all members.
type memberPattern struct {
	pattern    string
	member     string
	isOfMember bool
}

// meaningOf returns the first meaning of a path that matches a page. If there is none, it returns
// the path as written.
func (n *narrower) meaningOf(path string) []memberPattern {
	asWritten := []memberPattern{{pattern: path}}
	if n.matches(asWritten) {
		return asWritten
	}
	if n.unclear++; n.unclear > mostUnclear {
		return asWritten
	}
	cleaned := n.clean(path)
	changes := []func(string) string{
		func(p string) string { return p },
		func(p string) string { return "**/" + p },
		func(p string) string { return p + ".*" },
		func(p string) string { return "**/" + p + ".*" },
	}
	if isBracketed(path) {
		changes = nil // a set of characters would match names that nobody meant
	}
	for _, change := range changes {
		var m []memberPattern
		for _, p := range expandBraces(cleaned.pattern) {
			m = append(m, memberPattern{change(p), cleaned.member, cleaned.isOfMember})
		}
		if n.matches(m) {
			return m
		}
	}
	if parts := splitList(path); len(parts) > 1 || isBracketed(path) {
		var all []memberPattern
		for _, part := range parts {
			all = append(all, n.meaningOf(part)...)
		}
		if n.matches(all) {
			return all
		}
	}
	return asWritten
}

func (n *narrower) matches(m []memberPattern) bool {
	for _, p := range m {
		parsed := parsePattern(p.pattern)
		for i, of := range n.members {
			if p.isOfMember && p.member != of.Name {
				continue
			}
			for _, id := range n.ids[i] {
				if parsed.matches(string(id)) || n.ctx.Err() != nil {
					return true
				}
			}
		}
	}
	return false
}

// printedSuffix matches what answers print after a path: the anchor of a section, lines, a colon or
// an ellipsis.
var printedSuffix = lazy.Regexp(`(.)(#[^/]*|:[0-9]+(-[0-9]+)?|:|…)$`)

// clean removes from a path what answers and people put around it.
func (n *narrower) clean(path string) (p memberPattern) {
	p.pattern = strings.Trim(path, " \t'\"`")
	name, rest, hasName := strings.Cut(p.pattern, ":")
	switch {
	case hasName && slices.ContainsFunc(n.members, func(of Member) bool { return of.Name == name }):
		p = memberPattern{rest, name, true}
	case len(n.members) == 1 && IsName(name) && strings.Trim(rest, "0123456789-") != "":
		p.pattern = rest // an answer from several caches
	}
	p.pattern = printedSuffix().ReplaceAllString(printedSuffix().ReplaceAllString(p.pattern, "$1"), "$1")
	p.pattern = strings.ReplaceAll(strings.ReplaceAll(p.pattern, `\`, "/"), "…", "*")
	for strings.HasPrefix(p.pattern, "./") {
		p.pattern = strings.TrimLeft(p.pattern[1:], "/")
	}
	if p.pattern == "" || p.pattern == "." || p.pattern == "/" {
		p.pattern = "*" // the directory of all pages
	}
	return p
}

// mostExpanded is how many patterns braces can make of a pattern.
const mostExpanded = 64

// expandBraces returns the patterns for a pattern with alternatives in braces, such as *.{md,mdx}.
func expandBraces(pattern string) []string {
	done, rest := []string{}, []string{pattern}
	for len(rest) > 0 && len(done)+len(rest) <= mostExpanded {
		p := rest[0]
		rest = rest[1:]
		end := strings.IndexByte(p, '}')
		start := strings.LastIndexByte(p[:max(0, end)], '{')
		if start < 0 {
			done = append(done, p)
			continue
		}
		for alternative := range strings.SplitSeq(p[start+1:end], ",") {
			rest = append(rest, p[:start]+strings.TrimSpace(alternative)+p[end+1:])
		}
	}
	return append(done, rest...)
}

// isBracketed reports whether a path is written like a list in JSON or YAML, such as ["guide/"].
func isBracketed(path string) bool {
	return strings.HasPrefix(path, "[") && strings.IndexByte(path, ']') == len(path)-1
}

// splitList splits a path at commas and white space outside of braces.
func splitList(path string) []string {
	if isBracketed(path) {
		path = path[1 : len(path)-1]
	}
	depth := 0
	return strings.FieldsFunc(path, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth <= 0 && (r == ',' || r == ';' || unicode.IsSpace(r))
	})
}

// cutField returns the field in an element of Filter.Where, and whether pages must not contain it,
// as in "topic!=guide". White space and quotes around the key and the value don't matter.
func cutField(where string) (field string, isNot bool) {
	key, value, _ := strings.Cut(where, "=")
	key, isNot = strings.CutSuffix(strings.TrimSpace(key), "!")
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		value = value[1 : n-1]
	}
	return strings.TrimSpace(key) + "=" + value, isNot
}
