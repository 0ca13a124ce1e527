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

// A GrepResult contains the matching lines.
type GrepResult struct {
	Lines    int // that match
	Pages    int // that contain a matching line
	Searched int // pages

	shown     []grepLine    // first lines, sorted by ID and then by cache
	matches   int           // in shown
	pages     []grepPage    // that contain a matching line
	noPages   ArgumentError // why no page was searched
	members   []answers.Member
	request   GrepRequest
	taken     interpretation // the last interpretation tried
	elsewhere map[string]int // matching lines in other code, by language
	inText    int            // matching lines outside of code; counted, like elsewhere, for the first interpretation with any
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
func Grep(ctx context.Context, caches []answers.Member, request GrepRequest) (GrepResult, error) {
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
	if result.Searched == 0 {
		err := noPages(ctx, caches, request.Filter)
		if !errors.As(err, &result.noPages) {
			return result, err
		}
	}
	return result, nil
}

// Taken returns the request as Grep interpreted it, so its pattern matches the lines shown.
func (r GrepResult) Taken() GrepRequest { return r.taken.GrepRequest }

// take adds the matching lines of pages, and shows the first ones.
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

// takeElsewhere counts matching lines outside of the chosen code.
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

	elsewhere map[string]int // matching lines in other code, by language
	inText    int            // matching lines outside of code
}

// wanted yields the matching lines of a document in the chosen code. It counts other matching lines
// in p, unless p is nil.
func (m lineMatcher) wanted(ctx context.Context, doc document.Document, code CodeFilter, p *grepPage) (iter.Seq[lineMatch], error) {
	lines := m.lines(ctx, doc.Content)
	if !code.IsOn() {
		return lines, nil
	}
	for range lines { // without a match, finding the code would be a waste
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

// count counts the matching lines of each page. It sorts the pages by ID, and then by cache.
func (m lineMatcher) count(ctx context.Context, caches []answers.Member, request GrepRequest) (all []grepPage, err error) {
	filters, err := answers.Narrow(ctx, caches, request.Filter)
	if err != nil {
		return nil, err
	}
	for i, of := range caches {
		pages, err := answers.EachDocument(ctx, of.Cache, filters[i], request.Jobs, func(n int, doc document.Document) (grepPage, error) {
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

// show returns the first matching lines of a page with the lines around them, at most limit lines
// in total.
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

// grepLines collects the lines of a page to show.
type grepLines struct {
	cachePage
	found   grepPage
	request GrepRequest
	left    int // lines to show
	lines   []grepLine
	matches int    // in lines
	section string // of the last match
	end     int    // offset after the last line; 0 without lines

	at, counted int // at is the number of the line at the offset counted
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

// after adds the lines after the last match, up to an offset. next is the section there.
func (g *grepLines) after(until int, next string) {
	if len(g.lines) == 0 {
		return
	}
	for n := g.request.After; n > 0 && g.left > 0 && g.end < until; n-- {
		g.around(g.end, next)
	}
}

// before adds the lines before the match at an offset. It leaves room for the match itself.
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

// around adds the line at an offset, which is near a match, and returns the offset of the next
// line. It puts the line into the section of the last match, unless the line is already in the
// section of the next match.
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

// add adds a line. With context, it keeps the indentation, because code needs it.
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
