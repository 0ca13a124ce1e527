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
	for _, r := range words.Lower(heading) {
		switch {
		case slug.Len() >= maxSlug:
			return slug.String()
		case r == ' ' || r == '-':
			slug.WriteByte('-')
		case r == '_' || analysis.IsPartOfWord(r):
			slug.WriteRune(r)
		}
	}
	if slug.Len() == 0 {
		return "part"
	}
	return slug.String()
}
