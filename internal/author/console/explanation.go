package console

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/selection"
)

var unitNames = map[selection.Unit]string{selection.Documents: "document", selection.Sections: "section"}

// TabulateExplanation returns an explanation for people: a line for each item, with its
// evidence below.
func TabulateExplanation(request selection.Request, x selection.Explanation) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "selection %s of %ss: %d of %d can be chosen, %d of %d tokens are used\n",
		x.Selection, UnitName(x.Unit), x.Matching, x.Considered, x.TokensUsed, request.Budget)
	for _, t := range x.Terms {
		text := words.Printable(t.Text)
		if len(t.Near) > 0 {
			text += " (no section contains it; similar: " + words.Printable(strings.Join(t.Near, ", ")) + ")"
		}
		fmt.Fprintf(&b, "  %s: in %d sections, worth up to %s\n", text, t.Sections, t.MaxScore)
	}
	if x.Confidence != nil {
		writeConfidence(&b, *x.Confidence)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RANK\tVERDICT\tSCORE\tTOKENS\tID")
	for _, item := range x.Items {
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\n", item.Rank, item.Verdict, item.Score, item.Tokens, words.Printable(string(item.ID)))
		for _, found := range item.Evidence {
			fmt.Fprintf(table, "\t\t%s\t\t  %s\n", cmp.Or(found.Adds, "-"), targets.DescribeEvidence(found))
		}
		if item.DuplicateOf != "" {
			fmt.Fprintf(table, "\t\t\t\t  says the same as %s\n", words.Printable(string(item.DuplicateOf)))
		}
	}
	table.Flush()
	return []byte(b.String())
}

// writeConfidence writes how much of the query the best sections cover, and which words
// they lack.
func writeConfidence(b *strings.Builder, c selection.Confidence) {
	if len(c.Sections) == 0 {
		return
	}
	fmt.Fprintf(b, "weak: %s; the best sections cover", YesOrNo(c.IsWeak))
	for i, s := range c.Sections {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " %s of the query (%s)", s.Covered, words.Printable(string(s.ID)))
	}
	b.WriteByte('\n')
	for _, list := range []struct {
		name  string
		words []string
	}{{"lacking", c.Lacks}, {"words to try", c.Try}} {
		if len(list.words) > 0 {
			fmt.Fprintf(b, "  %s: %s\n", list.name, words.Printable(strings.Join(list.words, ", ")))
		}
	}
}

// UnitName returns a unit as users write it in --unit.
func UnitName(unit selection.Unit) string { return unitNames[unit] }
