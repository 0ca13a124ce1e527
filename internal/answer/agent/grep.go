package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/selection"
)

// A GrepRequest asks for lines containing an exact text.
type GrepRequest struct {
	Pattern    string           // text within a line, or a regular expression
	IsRegexp   bool             // whether Pattern is a regular expression (RE2)
	IgnoreCase bool             // whether upper and lower case match each other
	Before     int              // lines to show before each match, at most MostContext
	After      int              // lines to show after each match, at most MostContext
	Filter     selection.Filter // pages to search; zero means all
	Code       CodeFilter       // searches only this code; zero means all lines
	Limit      int              // lines to show, at most MostGrepLines; 0 means DefaultGrepLines, or DefaultContextLines with Before or After
	Jobs       int              // pages to search at once, at most 8; 0 means the number of processors
}

const (
	DefaultGrepLines    = 20 // lines
	DefaultContextLines = 40 // lines, including the lines around matches
	MostContext         = 20 // lines before or after a match
	MostGrepLines       = 200
)

func (r GrepRequest) hasContext() bool { return r.Before > 0 || r.After > 0 }

// limit returns how many lines to show. It also checks the numbers of the request.
func (r GrepRequest) limit() (limit int, err error) {
	byDefault := DefaultGrepLines
	if r.hasContext() {
		byDefault = DefaultContextLines
	}
	limit = cmp.Or(r.Limit, byDefault)
	if limit < 0 || limit > MostGrepLines {
		return 0, argumentErrorf("the limit is %d: expected 1 to %d lines", limit, MostGrepLines)
	}
	for _, n := range []int{r.Before, r.After} {
		if n < 0 || n > MostContext {
			return 0, argumentErrorf("the context is %d: expected 0 to %d lines", n, MostContext)
		}
	}
	return limit, nil
}

// A grepAnswer collects what Grep prints.
type grepAnswer struct {
	request  GrepRequest
	members  []answers.Member
	searched int            // pages
	noPages  string         // why no page was searched
	lines    int            // that match
	pages    []grepPage     // that contain a matching line
	shown    []grepLine     // first lines, sorted by ID and then by cache
	matches  int            // in shown
	taken    interpretation // the last interpretation tried
	matcher  lineMatcher    // of it
}

// A grepLine is a line of a page.
type grepLine struct {
	grepPage
	section string // see grepLines.sectionAt
	number  int    // in the page, from 1
	isMatch bool   // otherwise it is a line around a match
	text    string // without control characters; only the part around the match if the line is long
}

// Grep searches the pages of caches line by line. It checks each page against the manifest before
// it shows a line. If no line matches, it tries other interpretations the caller may have meant. If
// the request is wrong, it fails with an [ArgumentError].
func Grep(ctx context.Context, caches []answers.Member, request GrepRequest) (*Answer, error) {
	found, err := grep(ctx, caches, request)
	if err != nil {
		return nil, err
	}
	return found.print(), nil
}

func grep(ctx context.Context, caches []answers.Member, request GrepRequest) (*grepAnswer, error) {
	g := &grepAnswer{members: caches, request: request}
	limit, err := request.limit()
	if err != nil {
		return nil, err
	}
	for i, r := range request.interpretations() {
		m, err := r.matcher()
		if _, isWrong := errors.AsType[ArgumentError](err); isWrong && i > 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		pages, err := m.count(ctx, caches, request)
		if err != nil {
			return nil, err
		}
		g.searched, g.taken, g.matcher = len(pages), r, m
		if err := g.take(ctx, pages, limit); err != nil || g.lines > 0 {
			return g, err
		}
	}
	if g.searched == 0 {
		g.noPages, err = whyNoPage(ctx, caches, request.Filter)
	}
	return g, err
}

// take adds the matching lines of pages, and shows the first ones.
func (g *grepAnswer) take(ctx context.Context, pages []grepPage, limit int) error {
	for _, p := range pages {
		if p.lines == 0 {
			continue
		}
		g.lines += p.lines
		g.pages = append(g.pages, p)
		if left := limit - len(g.shown); left > 0 {
			shown, err := g.matcher.show(ctx, p, g.request, left)
			if err := cmp.Or(err, context.Cause(ctx)); err != nil {
				return err
			}
			g.shown = append(g.shown, shown.lines...)
			g.matches += shown.matches
		}
	}
	return nil
}

// An interpretation is a way to understand the pattern of a request.
type interpretation struct {
	GrepRequest
	as []string // differences from the request, without control characters
}

// looksLikeRegexp matches patterns that are often meant as regular expressions.
var looksLikeRegexp = lazy.Regexp(`[|\\^$+*]|\[.+\]|\(\?|\{[0-9]`)

// interpretations returns the ways to understand the pattern, starting with the request itself. An
// expression can contain \| instead of |, as in basic grep.
func (r GrepRequest) interpretations() []interpretation {
	all := []interpretation{{GrepRequest: r}}
	expression := strings.ReplaceAll(r.Pattern, `\|`, "|")
	if r.IsRegexp && expression != r.Pattern || !r.IsRegexp && looksLikeRegexp().MatchString(r.Pattern) {
		as := "as a regular expression (regexp, -E)"
		if expression != r.Pattern {
			as = "as the regular expression " + quote(expression) + " (regexp, -E)"
		}
		other := r
		other.Pattern, other.IsRegexp = expression, true
		all = append(all, interpretation{other, []string{as}})
	}
	if !r.IgnoreCase {
		for _, each := range slices.Clone(all) {
			each.IgnoreCase = true
			all = append(all, interpretation{each.GrepRequest, append(slices.Clip(each.as), "with ignore_case (-i)")})
		}
	}
	return all
}

// matcher returns the lineMatcher of an interpretation. It fails if the caller didn't ask for an
// expression, and it would match every line.
func (r interpretation) matcher() (lineMatcher, error) {
	m, err := matcherOf(r.GrepRequest)
	if err == nil && len(r.as) > 0 && m.regexp != nil && m.regexp.MatchString("") {
		return m, argumentErrorf("the pattern matches an empty text")
	}
	return m, err
}

// A grepPage is a searched page.
type grepPage struct {
	of     answers.Member
	number int // in its cache
	id     document.ID
	lines  int // that match
}

// wanted yields the matching lines of a document in the chosen code.
func (m lineMatcher) wanted(ctx context.Context, doc document.Document, code CodeFilter) (iter.Seq[lineMatch], error) {
	lines := m.lines(ctx, doc.Content)
	if !code.IsOn() {
		return lines, nil
	}
	for range lines { // without a match, finding the code would be a waste
		found, err := codeOfDocument(ctx, doc)
		return func(yield func(lineMatch) bool) {
			for line := range lines {
				if len(found.in(code, line.start, line.start+1)) > 0 && !yield(line) {
					return
				}
			}
		}, err
	}
	return lines, nil
}

// count counts the matching lines of each page. It sorts the pages by ID, and then by cache.
func (m lineMatcher) count(ctx context.Context, caches []answers.Member, request GrepRequest) (all []grepPage, err error) {
	filters, err := answers.Narrow(ctx, caches, request.Filter)
	if err != nil {
		return nil, err
	}
	for i, of := range caches {
		pages, err := answers.EachDocument(ctx, of.Cache, filters[i], request.Jobs, func(n int, doc document.Document) (grepPage, error) {
			p := grepPage{of: of, number: n, id: doc.ID}
			lines, err := m.wanted(ctx, doc, request.Code)
			if err != nil {
				return p, err
			}
			for range lines {
				p.lines++
			}
			return p, context.Cause(ctx)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, pages...)
	}
	slices.SortStableFunc(all, func(a, b grepPage) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.of.Name, b.of.Name))
	})
	return all, nil
}

// grepLines collects the lines of a page to show.
type grepLines struct {
	cachePage
	found   grepPage
	request GrepRequest
	starts  []int // where lines start, and the end of the page
	left    int   // lines to show
	lines   []grepLine
	matches int    // in lines
	section string // of the last match
	next    int    // index of the line after the last one in lines
}

// show returns the first matching lines of a page with the lines around them, at most limit lines
// in total.
func (m lineMatcher) show(ctx context.Context, found grepPage, request GrepRequest, limit int) (*grepLines, error) {
	p, err := pageAt(ctx, found.of, found.number)
	if err != nil {
		return nil, err
	}
	lines, err := m.wanted(ctx, p.doc, request.Code)
	if err != nil {
		return nil, err
	}
	g := &grepLines{cachePage: p, found: found, request: request, left: limit, starts: p.lineStarts(document.Range{End: len(p.doc.Content)})}
	after := 0 // index of the first line that is not shown as a line after the last match
	for line := range lines {
		i, _ := slices.BinarySearch(g.starts, line.start)
		section := g.sectionAt(line.start)
		g.around(min(i, after), section)
		before := max(0, min(request.Before, g.left-1)) // with room for the match itself
		if first := max(g.next, i-before); first > g.next || len(g.lines) == 0 {
			g.next, g.section = first, section // a new group
		}
		g.around(i, section)
		if g.left == 0 {
			return g, nil
		}
		g.section = section
		g.matches++
		g.add(line, section, true)
		after = g.next + request.After
	}
	g.around(min(after, len(g.starts)-1), g.section)
	return g, nil
}

// around adds the lines up to an index, which are near a match, as far as there is room. It puts
// them into the section of the last match, unless they are already in the section of the next
// match.
func (g *grepLines) around(until int, next string) {
	for g.next < until && g.left > 0 {
		start := g.starts[g.next]
		section := g.section
		if g.sectionAt(start) == next {
			section = next
		}
		text := bytes.TrimSuffix(g.doc.Content[start:g.starts[g.next+1]], []byte("\n"))
		text = bytes.TrimSuffix(text, []byte("\r"))
		first := start + len(text) - len(bytes.TrimLeft(text, " \t"))
		g.add(lineMatch{start, start + len(text), first, first}, section, false)
	}
}

// longestSlug is the maximum size in bytes of a printed slug.
const longestSlug = 40

// sectionAt returns the suffix for the section at an offset, to print after the ID of its page: "#"
// and the slug, or a space and the handle if the slug is too long. It returns "" for front matter,
// and if the section is the whole page.
func (g *grepLines) sectionAt(offset int) string {
	n := g.partAt(offset)
	switch part := g.parts[n]; {
	case offset < part.Start || part.Slug == "":
		return ""
	case len(part.Slug) > longestSlug:
		return " " + g.handle(n+1)
	default:
		return "#" + part.Slug
	}
}

// add adds the next line. With context, it keeps the indentation, because code needs it.
func (g *grepLines) add(line lineMatch, section string, isMatch bool) {
	text := line.print(g.doc.Content)
	if g.request.hasContext() && text != "" {
		const most = 40
		beginning := g.doc.Content[line.start:min(line.end, line.start+most)]
		text = strings.Repeat(" ", min(most, markdown.IndentOf(string(beginning)))) + text
	}
	g.next++
	g.left--
	g.lines = append(g.lines, grepLine{g.found, section, g.next, isMatch, text})
}

const (
	longestGrepLine = 200 // bytes
	beforeMatch     = 60  // bytes before the match, if the line is longer
)

// print returns the line in content, or the part around the match if the line is too long.
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
