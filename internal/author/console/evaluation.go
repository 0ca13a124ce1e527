package console

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// TabulateReport returns a report for people: a line for each measure, and then the
// queries.
func TabulateReport(r evaluation.TaskReport) []byte {
	var b strings.Builder
	tabulateMeasures(&b, r)
	queries := "queries"
	if r.Queries == 1 {
		queries = "query"
	}
	fmt.Fprintf(&b, "%d %s, %d without relevant documents, %d judged documents missing\n", r.Queries, queries, r.WithoutRelevant, r.MissingDocuments)
	if weak, notWeak := r.Weaknesses(); weak != nil {
		table := Sheet{Heading: []string{"answer", "right page in first 10", "not in first 10", "no right page"}}
		table.Add("weak", fmt.Sprint(weak.Found), fmt.Sprint(weak.Missed), fmt.Sprint(weak.Unanswerable))
		table.Add("not weak", fmt.Sprint(notWeak.Found), fmt.Sprint(notWeak.Missed), fmt.Sprint(notWeak.Unanswerable))
		b.WriteString("\n" + table.Text(nil))
	}
	tabulateChanges(&b, r)
	if r.WithEach {
		tabulateEach(&b, r)
	}
	return []byte(b.String())
}

func tabulateMeasures(b *strings.Builder, r evaluation.TaskReport) {
	table := Sheet{Heading: []string{"measure", "value"}}
	if r.Baseline != nil {
		table.Heading = append(table.Heading, "difference")
	}
	for _, row := range r.Rows(nil) {
		cells := []string{row.Name, row.Value, orDash(row.Difference)}
		table.Add(cells[:len(table.Heading)]...)
	}
	b.WriteString(table.Text(nil))
}

// tabulateChanges writes the queries with other scores than in the baseline.
func tabulateChanges(b *strings.Builder, r evaluation.TaskReport) {
	changes, compared := r.Changes()
	if compared == 0 {
		return
	}
	worse := 0
	for _, c := range changes {
		if c.Higher < 0 {
			worse++
		}
	}
	fmt.Fprintf(b, "\n%d queries compared: %d got worse, %d better\n", compared, worse, len(changes)-worse)
	if len(changes) == 0 {
		return
	}
	table := Sheet{Heading: []string{"change", "measure", "rank", "query"}}
	for _, c := range changes {
		table.Add(c.Higher.Signed(), c.Measure, rank(c.RankBefore)+" to "+rank(c.Rank), queryOf(c.QueryOutcome))
	}
	b.WriteString(table.Text(nil))
}

// trailing matches the spaces left by an empty last column.
var trailing = lazy.Regexp(` +\n`)

func tabulateEach(b *strings.Builder, r evaluation.TaskReport) {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RANK\tSCORE\tFIRST\tWEAK\tQUERY\tWHY")
	for _, o := range r.Outcomes {
		weak := ""
		if o.Weak != nil && *o.Weak {
			weak = "weak"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", rank(o.Rank), cmp.Or(o.Right.Score, "-"), cmp.Or(o.First.Score, "-"), weak, queryOf(o), words.Printable(o.Why))
	}
	table.Flush()
	b.WriteString("\n" + trailing().ReplaceAllString(text.String(), "\n"))
}

func rank(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func orDash(text string) string { return cmp.Or(text, "-") }

// queryOf returns the ID of a query and the beginning of its text.
func queryOf(o evaluation.QueryOutcome) string {
	const most = 60 // characters
	text := []rune(o.Text)
	end := ""
	if len(text) > most {
		text, end = text[:most], "…"
	}
	return words.Printable(o.ID) + ": " + words.Printable(string(text)) + end
}
