package evaluation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/evaluation"
)

func TestJudgmentsNameDocumentsWithAndWithoutExtension(t *testing.T) {
	documents := idsOf("a.md a.md.md b.md c.md.md dir/d.md e.mdx f.markdown g.txt g.txt.rst license v1.2/h.md v1.md ü.md")
	for _, test := range []struct {
		judged string
		want   document.ID
	}{
		{"a.md", "a.md"}, // the ID itself wins over a.md.md
		{"a", "a.md"},
		{"a.md.md", "a.md.md"},
		{"c.md", "c.md.md"}, // c.md does not exist
		{"c", "c.md"},
		{"dir/d", "dir/d.md"},
		{"Dir/D.md", "dir/d.md"}, // a path makes the ID
		{`.\DIR\d`, "dir/d.md"},
		{"Ü", "ü.md"},
		{"e", "e.mdx"},
		{"e.mdx", "e.mdx"},
		{"f", "f.markdown"},
		{"e.md", "e.md"}, // does not exist
		{"g", "g.txt"},
		{"g.txt.rst", "g.txt.rst"},
		{"LICENSE", "license"},
		{"v1", "v1.md"}, // v1.2/h.md has it, too, at its beginning
		{"v1.2/h", "v1.2/h.md"},
		{"v1.2", "v1.2.md"}, // does not exist
		{"none", "none.md"},
		{"none.md", "none.md"},
	} {
		score := task(t, "1", "1 "+test.judged+" 1", documents).Score(0, []document.ID{test.want}, nil)
		if score[0] != 1 {
			t.Errorf("%q is not %q", test.judged, test.want)
		}
	}
}

func TestReportCountsWhatIsNotMeasured(t *testing.T) {
	documents := idsOf("a.md b.md")
	task := task(t, "1 2 3 4", "2 a 1, 2 x 1, 1 b 0, 9 a 1, 4 b 3, 4 X.md 0, 8 y 1, 9 b 1, 4 z 1", documents)
	if task.Answerable != 2 {
		t.Fatalf("got %d queries, want 2", task.Answerable)
	}
	got := task.Report([][]float64{{1, 0.5, 0.25, 1}, {0, 0.5, 0.5, 0.3333}}, nil)
	if want := (evaluation.Counts{Queries: 4, WithoutRelevant: 2, MissingDocuments: 2}); got.Counts != want {
		t.Errorf("got %+v, want %+v", got.Counts, want)
	}
	want := []evaluation.Measure{{"ndcg@10", 5000}, {"recall@10", 5000}, {"recall@100", 3750}, {"mrr@10", 6667}}
	if !slices.Equal(got.Measures, want) {
		t.Errorf("got %v, want %v", got.Measures, want)
	}
	warnings := []string{
		`judged documents that are not in the cache, so that no query finds them: 2, the first is "x.md"`,
		`judged queries that are not among the queries: 2, the first is "9"`,
	}
	if got := task.Warnings(); !slices.Equal(got, warnings) {
		t.Errorf("got %q, want %q", got, warnings)
	}
}

// A measure that falls short comes with the queries that pull it down, the worst first.
func TestCheckNamesTheWorstQueries(t *testing.T) {
	task := task(t, "1 2 3 4 5 6", "1 a 1, 2 a 1, 3 a 1, 4 a 1, 6 a 1", idsOf("a.md"))
	report := task.Report([][]float64{{0.5, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 1, 1}, {0.75, 1, 1, 1}, {0.5, 1, 1, 1}}, make([]evaluation.RightRank, 5))
	gate, err := evaluation.ParseGate("ndcg@10=0.9", evaluation.Measures(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Check([]evaluation.Gate{gate}); err == nil || err.Error() != "ndcg@10 is 0.5500, expected at least 0.9000 (worst: 3, 1, 6)" {
		t.Errorf("got %v", err)
	}
}

func TestNewTaskRefusesJudgmentsThatDisagree(t *testing.T) {
	queries := []evaluation.Topic{{ID: "1"}, {ID: "2"}}
	for _, test := range []struct {
		judgments []evaluation.Judgment
		want      string
	}{
		{[]evaluation.Judgment{{"1", "a", 1, 3}, {"2", "a", 1, 4}, {"1", "a", 1, 5}}, `qrels:5: "a" is judged twice for the query "1"`},
		{[]evaluation.Judgment{{"1", "a", 1, 1}, {"1", "A.md", 0, 2}}, `qrels:2: "A.md" is judged twice for the query "1"`},
		{[]evaluation.Judgment{{"1", "x", 1, 1}, {"1", "x.md", 1, 2}}, `qrels:2: "x.md" is judged twice for the query "1"`},
		{[]evaluation.Judgment{{"1", "a.md#1-2", 1, 1}, {"1", "a.md#1-3", 1, 2}, {"1", "A.md#1-2", 1, 3}}, `qrels:3: "A.md#1-2" is judged twice for the query "1"`},
		{[]evaluation.Judgment{{"1", "a.md#nothing", 1, 7}}, `qrels:7: a.md has no part "nothing"`},
		{[]evaluation.Judgment{{"1", "a", 0, 1}, {"3", "a", 1, 2}}, "qrels: it contains no relevant document for any query"},
	} {
		_, err := evaluation.NewTask("qrels", queries, test.judgments, evaluation.Corpus{Documents: idsOf("a.md"), Span: spanOf}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.judgments, err, test.want)
		}
	}
}
