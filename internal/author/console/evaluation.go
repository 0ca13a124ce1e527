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
		b.WriteByte('\n')
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ANSWER\tRIGHT PAGE IN FIRST 10\tNOT IN FIRST 10\tNO RIGHT PAGE")
		fmt.Fprintf(table, "weak\t%d\t%d\t%d\n", weak.Found, weak.Missed, weak.Unanswerable)
		fmt.Fprintf(table, "not weak\t%d\t%d\t%d\n", notWeak.Found, notWeak.Missed, notWeak.Unanswerable)
		table.Flush()
	}
	tabulateChanges(&b, r)
	if r.WithEach {
		tabulateEach(&b, r)
	}
	return []byte(trailing().ReplaceAllString(b.String(), "\n"))
}

// trailing matches the spaces left by an empty last column.
var trailing = lazy.Regexp(` +\n`)

func tabulateMeasures(b *strings.Builder, r evaluation.TaskReport) {
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if r.Baseline == nil {
		fmt.Fprintln(table, "MEASURE\tVALUE")
	} else {
		fmt.Fprintln(table, "MEASURE\tVALUE\tDIFFERENCE")
	}
	for _, row := range r.Rows(nil) {
		fmt.Fprintf(table, "%s\t%s", row.Name, row.Value)
		if r.Baseline != nil {
			fmt.Fprintf(table, "\t%s", orDash(row.Difference))
		}
		fmt.Fprintln(table)
	}
	table.Flush()
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
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CHANGE\tMEASURE\tRANK\tQUERY")
	for _, c := range changes {
		fmt.Fprintf(table, "%s\t%s\t%s to %s\t%s\n", c.Higher.Signed(), c.Measure, rank(c.RankBefore), rank(c.Rank), queryOf(c.QueryOutcome))
	}
	table.Flush()
}

func tabulateEach(b *strings.Builder, r evaluation.TaskReport) {
	b.WriteByte('\n')
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RANK\tSCORE\tFIRST\tWEAK\tQUERY\tWHY")
	for _, o := range r.Outcomes {
		weak := ""
		if o.Weak != nil && *o.Weak {
			weak = "weak"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", rank(o.Rank), orDash(o.Right.Score), orDash(o.First.Score), weak, queryOf(o), words.Printable(o.Why))
	}
	table.Flush()
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
