package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// A GrepRequest asks for lines that have an exact text.
type GrepRequest struct {
	Pattern    string         // a text of one line, or an expression
	IsRegexp   bool           // Pattern is a regular expression of RE2, and matches within a line
	IgnoreCase bool           // upper and lower case match each other
	Filter     resolve.Filter // pages to search; zero means all
	Limit      int            // lines to show, at most 200; 0 means DefaultGrepLines
	Jobs       int            // pages in flight at once, at most 8; 0 means one per processor
}

const (
	DefaultGrepLines = 20 // lines
	mostGrepLines    = 200
)

// A GrepResult is the lines that match.
type GrepResult struct {
	Shown    []GrepLine // the first ones, by ID and then cache
	Lines    int        // that match
	Pages    int        // with a line that matches
	Searched int        // pages

	request GrepRequest
	reading reading // the last way that the pattern was taken in
}

// A GrepLine is a line of a page.
type GrepLine struct {
	Page    string // ID, with the name of the cache
	Section string // ID of the section that has the line, with the name of the cache
	Number  int    // in the page, from 1
	Text    string // fit to print, without white space at its ends; the part around the match if it is long
}

// Grep searches the pages of caches line by line. Pages are checked against their
// manifest before a line is shown. If no line matches, it takes the pattern in the other
// ways that the caller may have meant. A fault in the request is an [ArgumentError].
func Grep(ctx context.Context, caches []resolve.Member, request GrepRequest) (GrepResult, error) {
	result := GrepResult{request: request}
	limit := cmp.Or(request.Limit, DefaultGrepLines)
	if _, err := matcherOf(request); err != nil {
		return result, err
	}
	if limit < 0 || limit > mostGrepLines {
		return result, argumentErrorf("the limit is %d: want 1 to %d lines", limit, mostGrepLines)
	}
	for _, r := range request.readings() {
		m, err := r.matcher()
		if _, isWrong := errors.AsType[ArgumentError](err); isWrong {
			continue
		}
		if err != nil {
			return result, err
		}
		pages, err := m.count(ctx, caches, request)
		if err != nil {
			return result, err
		}
		result.Searched = len(pages)
		result.reading = r
		if err := result.take(ctx, m, pages, limit); err != nil || result.Lines > 0 {
			return result, err
		}
	}
	return result, nil
}

// Taken returns the request with its pattern as it was taken, which matches the lines shown.
func (r GrepResult) Taken() GrepRequest { return r.reading.GrepRequest }

// take adds the lines of pages that match, and shows the first ones.
func (r *GrepResult) take(ctx context.Context, m matcher, pages []grepped, limit int) error {
	for _, p := range pages {
		if p.lines == 0 {
			continue
		}
		r.Pages++
		r.Lines += p.lines
		if left := limit - len(r.Shown); left > 0 {
			shown, err := m.show(ctx, p, left)
			if err := cmp.Or(err, context.Cause(ctx)); err != nil {
				return err
			}
			r.Shown = append(r.Shown, shown...)
		}
	}
	return nil
}

// A reading is a way to take the pattern of a request.
type reading struct {
	GrepRequest
	as []string // what differs from the request, fit to print
}

// looksLikeRegexp matches patterns that are often meant as regular expressions.
var looksLikeRegexp = regexp.MustCompile(`[|\\^$+*]|\[.+\]|\(\?|\{[0-9]`)

// readings returns the ways to take the pattern, the request's own first. An expression may
// have \| for |, as in basic grep.
func (r GrepRequest) readings() []reading {
	all := []reading{{GrepRequest: r}}
	expression := strings.ReplaceAll(r.Pattern, `\|`, "|")
	if r.IsRegexp && expression != r.Pattern || !r.IsRegexp && looksLikeRegexp.MatchString(r.Pattern) {
		as := "as a regular expression (regexp, -E)"
		if expression != r.Pattern {
			as = "as the regular expression " + quote(expression) + " (regexp, -E)"
		}
		other := r
		other.Pattern, other.IsRegexp = expression, true
		all = append(all, reading{other, []string{as}})
	}
	if !r.IgnoreCase {
		for _, each := range slices.Clone(all) {
			each.IgnoreCase = true
			all = append(all, reading{each.GrepRequest, append(slices.Clip(each.as), "with ignore_case (-i)")})
		}
	}
	return all
}

// matcher returns the matcher of a reading. An expression that was not asked for must not
// match each line.
func (r reading) matcher() (matcher, error) {
	m, err := matcherOf(r.GrepRequest)
	if err == nil && len(r.as) > 0 && m.regexp != nil && m.regexp.MatchString("") {
		return m, argumentErrorf("the pattern matches an empty text")
	}
	return m, err
}

// A grepped is a page that was searched.
type grepped struct {
	of     resolve.Member
	number int // in its cache
	id     document.ID
	lines  int // that match
}

// count counts the lines of each page that match. The pages are sorted by ID, then cache.
func (m matcher) count(ctx context.Context, caches []resolve.Member, request GrepRequest) (all []grepped, err error) {
	for _, of := range caches {
		pages, err := resolve.EachDocument(ctx, of.Cache, request.Filter, request.Jobs, func(n int, doc document.Document) (grepped, error) {
			p := grepped{of: of, number: n, id: doc.ID}
			for range m.lines(ctx, doc.Content) {
				p.lines++
			}
			return p, context.Cause(ctx)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	slices.SortStableFunc(all, func(a, b grepped) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.of.Name, b.of.Name))
	})
	return all, nil
}

// show returns the first lines of a page that match, at most limit.
func (m matcher) show(ctx context.Context, found grepped, limit int) (shown []GrepLine, err error) {
	p, err := pageAt(ctx, found.of, found.number)
	if err != nil {
		return nil, err
	}
	number, counted := 1, 0 // the line at the offset counted
	for line := range m.lines(ctx, p.doc.Content) {
		number += bytes.Count(p.doc.Content[counted:line.start], []byte("\n"))
		counted = line.start
		section := p.name()
		if part := p.parts[p.partAt(line.start)]; line.start >= part.Start { // or it is front matter
			section = prefix(p.of) + string(sections.ID(p.doc.ID, part.Slug))
		}
		shown = append(shown, GrepLine{p.name(), section, number, line.print(p.doc.Content)})
		if len(shown) == limit {
			break
		}
	}
	return shown, nil
}

// Sizes of a line that is shown, in bytes.
const (
	longestGrepLine = 200
	beforeMatch     = 60 // of them stand before the match
)

// print returns the line in content, or the part of it around the match.
func (l lineMatch) print(content []byte) string {
	start, end := l.start, l.end
	for start < l.first && isSpace(content[start]) {
		start++
	}
	for end > l.last && isSpace(content[end-1]) {
		end--
	}
	if end-start <= longestGrepLine {
		return words.Printable(string(content[start:end]))
	}
	before, after := "", ""
	if from := l.first - beforeMatch; from > start {
		start, before = min(from, end-longestGrepLine), "…"
		for start < l.first && !utf8.RuneStart(content[start]) {
			start++
		}
	}
	if until := start + longestGrepLine; until < end {
		end, after = until, "…"
		for !utf8.RuneStart(content[end]) {
			end--
		}
	}
	return before + words.Printable(string(content[start:end])) + after
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' }

// Markdown returns the result as text: the lines below the IDs of their sections, which
// read takes.
func (r GrepResult) Markdown() []byte {
	var a answer
	searched := count(r.Searched, "page")
	switch {
	case r.Searched == 0:
		a.line("no page to search: leave out path and where, or change them")
		return a.bytes()
	case r.Lines == 0:
		a.line("no line of %s matches%s", searched, r.alsoTried())
		return a.bytes()
	}
	taken := ""
	if len(r.reading.as) > 0 {
		taken = "no line matches the pattern as given; " + strings.Join(r.reading.as, " ") + ": "
	}
	hidden := ""
	if more := r.Lines - len(r.Shown); more > 0 {
		hidden = fmt.Sprintf("; %s not shown: narrow the pattern or the path, or raise the limit", count(more, "line"))
	}
	a.line("%s%s in %s of %s%s", taken, count(r.Lines, "line"), thousands(r.Pages), searched, hidden)
	section := ""
	for _, line := range r.Shown {
		if line.Section != section {
			section = line.Section
			a.line("%s", section)
		}
		a.line("  %d: %s", line.Number, line.Text)
	}
	return a.bytes()
}

// alsoTried says in which other ways no line matches.
func (r GrepResult) alsoTried() (ways string) {
	if !r.request.IgnoreCase {
		ways = ", in upper or lower case"
	}
	if !r.request.IsRegexp && looksLikeRegexp.MatchString(r.request.Pattern) {
		if !r.reading.IsRegexp {
			return ways + "; to search by a regular expression (regexp, -E), correct the pattern"
		}
		ways += ", as text or as a regular expression (regexp, -E)"
	}
	return ways
}
