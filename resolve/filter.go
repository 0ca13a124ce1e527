package resolve

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/ignore"
	"github.com/contextcompiler/context/internal/index"
	"github.com/contextcompiler/context/internal/words"
)

// A Filter says which pages of a cache may be chosen. It changes no score: scores use
// the statistics of the whole cache. The zero Filter allows all pages.
type Filter struct {
	// Paths are patterns for page IDs, in the syntax of .gitignore. The last one that
	// matches a page, or one of its directories, decides: it allows the page, or keeps
	// it out if it begins with "!". If none matches, the page is allowed only if all
	// patterns begin with "!".
	Paths []string

	// Where are fields of front matter, such as "topic=guide". A page must have all of
	// them; of a list, one element suffices. Case does not matter.
	Where []string
}

// A pattern is one of Filter.Paths.
type pattern struct {
	rules    ignore.Rules
	keepsOut bool
}

// parsePattern reads a pattern and lower-cases it, because IDs are in lower case.
func parsePattern(text string) pattern {
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

// paths returns a function that reports whether the page with an ID may be chosen. It
// returns nil if all pages may.
func (f Filter) paths() func(id string) bool {
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

// allowed reports for each of n pages whether it may be chosen. It returns nil if all
// may.
func (f Filter) allowed(ctx context.Context, from source, n int) ([]bool, error) {
	pages, err := f.where(ctx, from, n)
	isAllowed := f.paths()
	if err != nil || isAllowed == nil {
		return pages, err
	}
	if pages == nil {
		pages = slices.Repeat([]bool{true}, n)
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
		pages[page] = isAllowed(string(ids[page]))
	}
	return pages, nil
}

// where reports for each of n pages whether it has all fields. It returns nil without
// fields.
func (f Filter) where(ctx context.Context, from source, n int) (pages []bool, err error) {
	for _, field := range f.Where {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		found, err := from.withField(field)
		if err != nil {
			return nil, err
		}
		next := make([]bool, n)
		for _, page := range found {
			next[page] = pages == nil || pages[page]
		}
		pages = next
	}
	return pages, nil
}

// fieldsOf returns the fields of the filter that a document has, each once.
func (f Filter) fieldsOf(doc document.Document) (fields []string) {
	if len(f.Where) == 0 {
		return nil
	}
	has := hasField(doc)
	isIn := map[string]bool{}
	for _, field := range f.Where {
		if !isIn[field] && has(field) {
			isIn[field] = true
			fields = append(fields, field)
		}
	}
	return fields
}

// allowsFields reports whether a document has all fields that the filter asks for.
func (f Filter) allowsFields(doc document.Document) bool {
	if len(f.Where) == 0 {
		return true
	}
	has := hasField(doc)
	return !slices.ContainsFunc(f.Where, func(field string) bool { return !has(field) })
}

// hasField returns a function that reports whether a document has a field.
func hasField(doc document.Document) func(field string) bool {
	terms := map[string]bool{}
	for _, term := range index.FieldTerms(doc.Metadata) {
		terms[term] = true
	}
	return func(field string) bool { return terms[index.FieldTerm(field)] }
}

// One is the MinScore that keeps only items with the best score.
const One = 1_000_000

// reaches reports whether score is at least best*share/[One].
func reaches(score, best, share uint64) bool {
	high, low := bits.Mul64(score, One)
	wantHigh, wantLow := bits.Mul64(best, share)
	return high > wantHigh || high == wantHigh && low >= wantLow
}
