package answers

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/ignore"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/selection"
)

// A pageFilter applies a Filter.
type pageFilter selection.Filter

// A pattern is one of Filter.Paths.
type pattern struct {
	rules    ignore.Rules
	keepsOut bool
}

func parsePattern(text string) pattern { // IDs are in lower case
	rest, keepsOut := strings.CutPrefix(words.Lower(text), "!")
	if strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "!") {
		rest = `\` + rest
	}
	return pattern{ignore.Rules{}.With(".", []byte(rest)), keepsOut}
}

// matches reports whether the pattern matches a page or one of its directories.
func (p pattern) matches(id string) bool {
	if p.rules.Match(id, false) {
		return true
	}
	for i, c := range id {
		if c == '/' && p.rules.Match(id[:i], true) {
			return true
		}
	}
	return false
}

func (f pageFilter) isEmpty() bool { return len(f.Paths) == 0 && len(f.Where) == 0 }

// paths returns a function that reports whether the patterns allow the page with an ID, or nil
// without patterns.
func (f pageFilter) paths() func(id string) bool {
	if len(f.Paths) == 0 {
		return nil
	}
	patterns := make([]pattern, len(f.Paths))
	byDefault := true
	for i, text := range f.Paths {
		patterns[i] = parsePattern(text)
		byDefault = byDefault && patterns[i].keepsOut
	}
	return func(id string) bool {
		isAllowed := byDefault
		for _, p := range patterns {
			if p.matches(id) {
				isAllowed = !p.keepsOut
			}
		}
		return isAllowed
	}
}

// allowed reports for each page of a set whether it can be chosen, or returns nil if all can.
func (s *Set) allowed(ctx context.Context, filter selection.Filter, from *joined) ([]bool, error) {
	pages, err := pageFilter(filter).where(ctx, from)
	if err != nil || len(filter.Paths) == 0 {
		return pages, err
	}
	filters, err := Narrow(ctx, s.members, filter)
	if err != nil {
		return nil, err
	}
	isAllowed := map[string]func(id string) bool{}
	for i, of := range s.members {
		isAllowed[of.Name] = pageFilter(filters[i]).paths()
	}
	if pages == nil {
		pages = slices.Repeat([]bool{true}, from.pageCount())
	}
	ids, err := from.ids()
	if err != nil {
		return nil, err
	}
	for page := range pages {
		if !pages[page] {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		m, _ := from.home(uint32(page))
		pages[page] = isAllowed[m.of.Name](string(ids[page]))
	}
	return pages, nil
}

// where reports for each page whether the fields allow it, or returns nil without fields.
func (f pageFilter) where(ctx context.Context, from *joined) (pages []bool, err error) {
	var firsts []uint32
	if len(f.Where) > 0 && from.columns != nil { // postings name sections
		if firsts, err = from.firsts(); err != nil {
			return nil, err
		}
	}
	for _, where := range f.Where {
		field, isNot := cutField(where)
		of, err := from.List(index.FieldTerm(field))
		if err := cmp.Or(err, context.Cause(ctx)); err != nil {
			return nil, err
		}
		next := slices.Repeat([]bool{isNot}, from.pageCount())
		for _, p := range of.AppendTo(nil) {
			if firsts != nil {
				p.Ordinal = ranking.PageOf(firsts, p.Ordinal)
			}
			next[p.Ordinal] = !isNot
		}
		for page := range pages {
			next[page] = next[page] && pages[page]
		}
		pages = next
	}
	return pages, nil
}

func (f pageFilter) allowsFields(doc document.Document) bool {
	if len(f.Where) == 0 {
		return true
	}
	terms := map[string]bool{}
	for _, term := range index.FieldTerms(doc.Metadata) {
		terms[term] = true
	}
	return !slices.ContainsFunc(f.Where, func(where string) bool {
		field, isNot := cutField(where)
		return terms[index.FieldTerm(field)] == isNot
	})
}

// reaches reports whether score is at least best*share/[selection.One].
func reaches(score, best, share uint64) bool {
	high, low := bits.Mul64(score, selection.One)
	wantHigh, wantLow := bits.Mul64(best, share)
	return high > wantHigh || high == wantHigh && low >= wantLow
}

// longestField is the size limit of fields for EachField in bytes, because the index only
// contains a hash of longer fields.
const longestField = 250

// EachField calls visit with each field that [selection.Filter] can ask for, such as "topic=guide",
// in order and in lower case, and with the number of its pages. It skips fields of more than 250
// bytes. It reads the index, which it makes from the documents if there is none, and stops at the
// first error of visit.
func (c *Cache) EachField(ctx context.Context, visit func(field string, pages int) error) error {
	x, err := c.indexFor(ctx, c.built, 0)
	if err != nil {
		return err
	}
	var stopped error // without the prefix that the index adds to its own errors
	err = x.EachWithPrefix(index.FieldTerm(""), func(term []byte, pages int) error {
		field := term[len(index.FieldTerm("")):]
		if bytes.HasPrefix(field, []byte("\x01")) || len(field) > longestField { // U+0001: see index.FieldTerms
			return nil
		}
		if stopped = context.Cause(ctx); stopped != nil {
			return stopped
		}
		if !utf8.Valid(field) { // only in a forged index
			return x.Disproved("the field %q isn't UTF-8", field)
		}
		stopped = visit(string(field), pages)
		return stopped
	})
	return cmp.Or(stopped, err)
}
