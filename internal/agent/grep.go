package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/markdown"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// A GrepRequest asks for lines that have an exact text.
type GrepRequest struct {
	Pattern    string         // a text of one line, or an expression
	IsRegexp   bool           // Pattern is a regular expression of RE2, and matches within a line
	IgnoreCase bool           // upper and lower case match each other
	Before     int            // lines to show before each that matches, at most MostContext
	After      int            // lines to show after each that matches, at most MostContext
	Filter     resolve.Filter // pages to search; zero means all
	Code       CodeFilter     // only lines in such code; zero means all
	Limit      int            // lines to show, at most 200; 0 means DefaultGrepLines, or DefaultContextLines with Before or After
	Jobs       int            // pages in flight at once, at most 8; 0 means one per processor
}

const (
	DefaultGrepLines    = 20 // lines
	DefaultContextLines = 40 // lines, those around the ones that match included
	MostContext         = 20 // lines before or after one that matches
	MostGrepLines       = 200
)

func (r GrepRequest) hasContext() bool { return r.Before > 0 || r.After > 0 }

// limit returns how many lines to show.
func (r GrepRequest) limit() (limit int, err error) {
	byDefault := DefaultGrepLines
	if r.hasContext() {
		byDefault = DefaultContextLines
	}
	limit = cmp.Or(r.Limit, byDefault)
	if limit < 0 || limit > MostGrepLines {
		return 0, argumentErrorf("the limit is %d: want 1 to %d lines", limit, MostGrepLines)
	}
	for _, n := range []int{r.Before, r.After} {
		if n < 0 || n > MostContext {
			return 0, argumentErrorf("the context is %d: want 0 to %d lines", n, MostContext)
		}
	}
	return limit, nil
}

// A GrepResult is the lines that match.
type GrepResult struct {
	Lines    int // that match
	Pages    int // with a line that matches
	Searched int // pages

	shown     []grepLine // the first ones, by ID and then cache
	matches   int        // of the lines shown
	pages     []grepPage // with a line that matches
	members   []resolve.Member
	request   GrepRequest
	taken     interpretation // the last way that the pattern was taken in
	elsewhere map[string]int // lines that match in other code, by its language
	inText    int            // lines that match outside of code; both for the first interpretation with any
}

// A grepLine is a line of a page.
type grepLine struct {
	grepPage
	section string // see grepLines.sectionAt
	number  int    // in the page, from 1
	isMatch bool   // and not a line around one
	text    string // fit to print; the part around the match if it is long
}

// Grep searches the pages of caches line by line. Pages are checked against their
// manifest before a line is shown. If no line matches, it takes the pattern in the other
// ways that the caller may have meant. A fault in the request is an [ArgumentError].
func Grep(ctx context.Context, caches []resolve.Member, request GrepRequest) (GrepResult, error) {
	result := GrepResult{members: caches, request: request}
	if _, err := matcherOf(request); err != nil {
		return result, err
	}
	limit, err := request.limit()
	if err != nil {
		return result, err
	}
	for _, r := range request.interpretations() {
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
		result.taken = r
		result.takeElsewhere(pages)
		if err := result.take(ctx, m, pages, limit); err != nil || result.Lines > 0 {
			return result, err
		}
	}
	return result, nil
}

// Taken returns the request with its pattern as it was taken, which matches the lines shown.
func (r GrepResult) Taken() GrepRequest { return r.taken.GrepRequest }

// take adds the lines of pages that match, and shows the first ones.
func (r *GrepResult) take(ctx context.Context, m lineMatcher, pages []grepPage, limit int) error {
	for _, p := range pages {
		if p.lines == 0 {
			continue
		}
		r.Pages++
		r.Lines += p.lines
		r.pages = append(r.pages, p)
		if left := limit - len(r.shown); left > 0 {
			shown, err := m.show(ctx, p, r.request, left)
			if err := cmp.Or(err, context.Cause(ctx)); err != nil {
				return err
			}
			r.shown = append(r.shown, shown.lines...)
			r.matches += shown.matches
		}
	}
	return nil
}

// takeElsewhere adds up the lines that match, but not in the code that the request chooses.
func (r *GrepResult) takeElsewhere(pages []grepPage) {
	if r.inText > 0 || len(r.elsewhere) > 0 {
		return
	}
	r.elsewhere = map[string]int{}
	for _, p := range pages {
		r.inText += p.inText
		for language, lines := range p.elsewhere {
			r.elsewhere[language] += lines
		}
	}
}

// An interpretation is a way to take the pattern of a request.
type interpretation struct {
	GrepRequest
	as []string // what differs from the request, fit to print
}

// looksLikeRegexp matches patterns that are often meant as regular expressions.
var looksLikeRegexp = regexp.MustCompile(`[|\\^$+*]|\[.+\]|\(\?|\{[0-9]`)

// interpretations returns the ways to take the pattern, the request's own first. An expression
// may have \| for |, as in basic grep.
func (r GrepRequest) interpretations() []interpretation {
	all := []interpretation{{GrepRequest: r}}
	expression := strings.ReplaceAll(r.Pattern, `\|`, "|")
	if r.IsRegexp && expression != r.Pattern || !r.IsRegexp && looksLikeRegexp.MatchString(r.Pattern) {
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

// matcher returns the lineMatcher of an interpretation. An expression that was not asked for
// must not match each line.
func (r interpretation) matcher() (lineMatcher, error) {
	m, err := matcherOf(r.GrepRequest)
	if err == nil && len(r.as) > 0 && m.regexp != nil && m.regexp.MatchString("") {
		return m, argumentErrorf("the pattern matches an empty text")
	}
	return m, err
}

// A grepPage is a page that was searched.
type grepPage struct {
	of     resolve.Member
	number int // in its cache
	id     document.ID
	lines  int // that match

	elsewhere map[string]int // lines that match in other code, by its language
	inText    int            // lines that match outside of code
}

// wanted yields the lines of a document that match in the code that a request chooses. It
// counts the others in p, if that is not nil.
func (m lineMatcher) wanted(ctx context.Context, doc document.Document, code CodeFilter, p *grepPage) (iter.Seq[lineMatch], error) {
	lines := m.lines(ctx, doc.Content)
	if !code.IsOn() {
		return lines, nil
	}
	for range lines { // or the code matters to nobody
		found, err := codeOfDocument(ctx, doc)
		if p != nil {
			p.elsewhere = map[string]int{}
		}
		return func(yield func(lineMatch) bool) {
			for line := range lines {
				language, isCode := found.languageAt(line.start)
				switch {
				case isCode && code.has(language):
					if !yield(line) {
						return
					}
				case p == nil:
				case isCode:
					p.elsewhere[language]++
				default:
					p.inText++
				}
			}
		}, err
	}
	return lines, nil
}

// count counts the lines of each page that match. The pages are sorted by ID, then cache.
func (m lineMatcher) count(ctx context.Context, caches []resolve.Member, request GrepRequest) (all []grepPage, err error) {
	for _, of := range caches {
		pages, err := resolve.EachDocument(ctx, of.Cache, request.Filter, request.Jobs, func(n int, doc document.Document) (grepPage, error) {
			p := grepPage{of: of, number: n, id: doc.ID}
			lines, err := m.wanted(ctx, doc, request.Code, &p)
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

// show returns the first lines of a page that match, with those around them, at most limit
// lines.
func (m lineMatcher) show(ctx context.Context, found grepPage, request GrepRequest, limit int) (*grepLines, error) {
	p, err := pageAt(ctx, found.of, found.number)
	if err != nil {
		return nil, err
	}
	lines, err := m.wanted(ctx, p.doc, request.Code, nil)
	if err != nil {
		return nil, err
	}
	shown := &grepLines{cachePage: p, found: found, request: request, left: limit, at: 1}
	for line := range lines {
		section := shown.sectionAt(line.start)
		shown.after(line.start, section)
		shown.before(line.start, section)
		shown.match(line, section)
		if shown.left == 0 {
			return shown, nil
		}
	}
	shown.after(len(p.doc.Content), shown.section)
	return shown, nil
}

// grepLines collects the lines of a page that are shown.
type grepLines struct {
	cachePage
	found   grepPage
	request GrepRequest
	left    int // lines to show
	lines   []grepLine
	matches int    // of the lines
	section string // of the last match
	end     int    // offset after the last line; 0 before the first

	at, counted int // number of the line at an offset
}

// longestSlug is the most bytes of a section's slug that are printed.
const longestSlug = 40

// sectionAt returns what names the section that has the line at an offset, to stand after
// the ID of the page: "#" and its slug, or a space and its handle if the slug is too long.
// It returns "" if the section is the page, and for front matter.
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

// after adds the lines after the last match, up to an offset. next is the section of the
// match there.
func (g *grepLines) after(until int, next string) {
	if len(g.lines) == 0 {
		return
	}
	for n := g.request.After; n > 0 && g.left > 0 && g.end < until; n-- {
		g.around(g.end, next)
	}
}

// before adds the lines before the match at an offset, which is in a section. The match needs
// a line, too.
func (g *grepLines) before(offset int, section string) {
	content, from := g.doc.Content, offset
	for n := min(g.request.Before, g.left-1); n > 0 && from > g.end; n-- {
		from = g.end + 1 + bytes.LastIndexByte(content[g.end:from-1], '\n')
	}
	if from > g.end || len(g.lines) == 0 {
		g.section = section // a new group
	}
	for from < offset {
		from = g.around(from, section)
	}
}

// around adds the line at an offset, which is next to a match, and returns the offset of
// the line after it. It belongs to the section of the last match, unless it is already in
// the section of the next one.
func (g *grepLines) around(offset int, next string) int {
	section := g.section
	if g.sectionAt(offset) == next {
		section = next
	}
	end := lineEnd(g.doc.Content, offset)
	text := bytes.TrimSuffix(g.doc.Content[offset:end], []byte("\r"))
	first := offset + len(text) - len(bytes.TrimLeft(text, " \t"))
	g.add(lineMatch{offset, offset + len(text), first, first}, section, false)
	return g.end
}

func (g *grepLines) match(line lineMatch, section string) {
	if g.left > 0 {
		g.section = section
		g.matches++
		g.add(line, section, true)
	}
}

// add adds a line. Code needs its indentation where lines follow each other.
func (g *grepLines) add(line lineMatch, section string, isMatch bool) {
	content := g.doc.Content
	g.at += bytes.Count(content[g.counted:line.start], []byte("\n"))
	g.counted = line.start
	text := line.print(content)
	if g.request.hasContext() && text != "" {
		const most = 40
		beginning := content[line.start:min(line.end, line.start+most)]
		text = strings.Repeat(" ", min(most, markdown.IndentOf(string(beginning)))) + text
	}
	g.lines = append(g.lines, grepLine{g.found, section, g.at, isMatch, text})
	g.end = min(len(content), lineEnd(content, line.start)+1)
	g.left--
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
