package targets

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

var descriptions = map[string]string{
	selection.SentenceEvidence:   "in the best sentence",
	selection.AboutEvidence:      "in the best heading",
	selection.TitleEvidence:      "the query is the title of the page",
	selection.HeadingEvidence:    "the query is a heading",
	selection.DefinitionEvidence: "a sentence defines what the query names",
}

// DescribeEvidence describes a part of a score in words.
func DescribeEvidence(found selection.Evidence) string {
	terms := words.Printable(strings.Join(found.Terms, " "))
	if description := descriptions[found.Kind]; description != "" {
		return strings.TrimPrefix(terms+": "+description, ": ")
	}
	var where []string
	if found.Body > 0 {
		where = append(where, "body "+strconv.Itoa(found.Body))
	}
	if found.Heading {
		where = append(where, "heading")
	}
	if found.Path {
		where = append(where, "path")
	}
	return terms + ": " + strings.Join(where, ", ")
}

// whyOf says why the best right answer isn't the first. It returns "" if it is, or for a
// query without right answers.
func whyOf(s answers.Standing, hasRight bool) string {
	switch {
	case !hasRight || s.Rank == 1:
		return ""
	case s.Rank == 0:
		return "no right answer can be chosen: it contains no word of the query, or the cache lacks it"
	}
	why := fmt.Sprintf("%s (%s) is number %d after %s (%s)", s.Right.ID, s.Right.Score, s.Rank, s.First.ID, s.First.Score)
	var lacks, gains, reasons []string
	const mostLacking = 5
	for _, word := range s.Lacks[:min(len(s.Lacks), mostLacking)] {
		lacks = append(lacks, strconv.Quote(word))
	}
	if lacks != nil {
		reasons = append(reasons, "it lacks "+strings.Join(lacks, ", "))
	}
	if more := len(s.Lacks) - mostLacking; more > 0 {
		reasons[0] += fmt.Sprintf(" and %d more", more)
	}
	for _, lift := range s.Lifts {
		terms, reason, hasTerms := strings.Cut(DescribeEvidence(lift), ": ")
		if hasTerms {
			terms = fmt.Sprintf("%q (%s)", terms, reason)
		}
		gains = append(gains, fmt.Sprintf("%s by %s", lift.Adds, terms))
	}
	if gains != nil {
		reasons = append(reasons, "the first gains "+strings.Join(gains, " and "))
	}
	if reasons == nil {
		return why
	}
	return why + ": " + strings.Join(reasons, ", ")
}
