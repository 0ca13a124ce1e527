package passage

import (
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/analysis"
	"github.com/contextcompiler/context/internal/words"
)

// maxSlug is how many bytes of a heading are enough for a slug: the character
// that reaches it is the last.
const maxSlug = 80

// number makes the slugs of passages differ: the second of one slug gets "-1"
// behind it, as GitHub's links to headings have it, the third "-2", and so on.
func number(passages []Passage) {
	next := make(map[string]int, len(passages)) // number behind a slug, 0 for a new one
	for i := range passages {
		slug := passages[i].Slug
		numbered := slug
		for next[numbered] > 0 {
			numbered = slug + "-" + strconv.Itoa(next[slug])
			next[slug]++
		}
		next[numbered]++
		passages[i].Slug = numbered
	}
}

// slugOf returns a heading as it stands in GitHub's links: in lower case, with
// hyphens for spaces and without punctuation. If that is nothing, it is "part".
func slugOf(heading string) string {
	var slug strings.Builder
	for _, r := range words.Lower(anchorOf(heading)) {
		if slug.Len() >= maxSlug {
			return orPart(wholeWords(slug.String()))
		}
		switch {
		case r == ' ' || r == '-':
			slug.WriteByte('-')
		case r == '_' || analysis.IsPartOfWord(r):
			slug.WriteRune(r)
		}
	}
	return orPart(slug.String())
}

func orPart(slug string) string {
	if slug == "" {
		return "part"
	}
	return slug
}

// wholeWords returns a slug that may go on without its last word, unless that is
// all there is.
func wholeWords(slug string) string {
	if end := strings.LastIndexByte(slug, '-'); end > 0 {
		return slug[:end]
	}
	return slug
}

// anchorOf returns the anchor that a heading names itself, as in "Title {#id}",
// and the heading if it names none.
func anchorOf(heading string) string {
	before, found := strings.CutSuffix(heading, "}")
	if at := strings.LastIndex(before, "{#"); found && at >= 0 {
		return before[at+len("{#"):]
	}
	return heading
}
