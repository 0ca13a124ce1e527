package evaluation_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/selection"
)

var shelf = evaluation.Corpus{
	Documents: []document.ID{"a b.md", "install.md", "remove.md"},
	Span: func(id document.ID, fragment string) (document.Span, error) {
		var n int
		if _, err := fmt.Sscanf(fragment, "s%d", &n); err != nil {
			return document.Span{}, fmt.Errorf("no %s", fragment)
		}
		return document.Span{ID: id, Start: n, End: n + 1}, nil
	},
}

func add(t rapid.TB, queries, judgments, text string, right ...string) (id, newQueries, newJudgments string, err error) {
	t.Helper()
	query, err := selection.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	id, q, j, err := evaluation.Add(
		evaluation.TaskFile{Name: "q", Data: []byte(queries)}, evaluation.TaskFile{Name: "j", Data: []byte(judgments)}, query, right, shelf,
	)
	return id, string(q), string(j), err
}

func TestTheNextIDIsFree(t *testing.T) {
	for _, tc := range []struct {
		ids, judged []string
		want        string
	}{
		{nil, nil, "q1"},
		{nil, []string{"q1"}, "q2"},
		{[]string{"1", "2"}, nil, "3"},
		{[]string{"q9", "q3"}, []string{"q4"}, "q5"},
		{[]string{"v1-7", "x"}, nil, "v1-3"},
		{[]string{"setup", "remove"}, nil, "q3"},
	} {
		var queries, judgments strings.Builder
		for i, id := range tc.ids {
			fmt.Fprintf(&queries, "{\"id\": %q, \"text\": \"text %d\"}\n", id, i)
		}
		for _, id := range tc.judged {
			fmt.Fprintf(&judgments, "%s\tremove\t1\n", id)
		}
		got, _, _, err := add(t, queries.String(), judgments.String(), "new", "install")
		if err != nil || got != tc.want {
			t.Errorf("%q, %q: got %q, %v, want %q", tc.ids, tc.judged, got, err, tc.want)
		}
	}
}

// In any format, the old lines of the files stay, and the new query is judged.
func TestAddAppendsToAnyFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		mark := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")
		n := rapid.IntRange(0, 3).Draw(t, "queries")
		format := rapid.SampledFrom([]string{"%s\tinstall\t1", "%s\t0\tinstall\t2", "%s Q0 install 1", "%s 0 install 0"}).Draw(t, "format")
		var queries, judgments []string
		for i := range n {
			id := fmt.Sprint(rapid.SampledFrom([]string{"", "q", "a-"}).Draw(t, "prefix"), i)
			// No drawn text is as long, so none is the same query.
			queries = append(queries, fmt.Sprintf(`{"id":"%s","text":"an earlier query, number %d"}`, id, i))
			judgments = append(judgments, fmt.Sprintf(format, id))
		}
		last := rapid.SampledFrom([]string{"", end}).Draw(t, "last")
		before := mark + strings.Join(queries, end)
		judged := mark + strings.Join(judgments, end)
		if n > 0 {
			before, judged = before+last, judged+last
		}
		text := rapid.StringN(1, 20, -1).Filter(func(s string) bool { return strings.TrimSpace(s) != "" && len(s) > 1 }).Draw(t, "text")
		right := rapid.SampledFrom([][]string{{"install"}, {"a b"}, {"remove.md#s3", "remove.md#s4"}, {"remove", "a b.md#s1"}}).Draw(t, "right")
		id, q, j, err := add(t, before, judged, text, right...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(q, before) || !strings.HasPrefix(j, judged) || !strings.HasSuffix(q, "\n") || !strings.HasSuffix(j, "\n") {
			t.Fatalf("got %q after %q, and %q after %q", q, before, j, judged)
		}
		topics, err := evaluation.ParseQueries("q", []byte(q))
		if err != nil {
			t.Fatal(err)
		}
		if got := topics[len(topics)-1]; len(topics) != n+1 || got.ID != id || got.Query.Text() != text {
			t.Errorf("got %d queries and %q, %q, want %q, %q", len(topics), got.ID, got.Query.Text(), id, text)
		}
		all, err := evaluation.ParseJudgments("j", []byte(j))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, judgment := range all[n:] {
			if judgment.Query != id || judgment.Grade != 1 {
				t.Errorf("got %v, want one of %q", judgment, id)
			}
			names = append(names, judgment.Document)
		}
		if !slices.Equal(names, right) {
			t.Errorf("got %q, want %q", names, right)
		}
		if _, _, _, err := add(t, q, j, " "+strings.ToUpper(text), right...); strings.EqualFold(strings.ToUpper(text), text) && err == nil {
			t.Errorf("%q was added twice", text)
		}
	})
}

// A report with each query is a baseline for itself, and nothing changed.
func TestReportsCompareQueryByQuery(t *testing.T) {
	report := someReport
	report.WithEach = true
	report.Outcomes = []evaluation.QueryOutcome{
		{ID: "a\"", Text: "how", Measures: []evaluation.Measure{{"ndcg@10", 5000}, {"mrr@10", 10000}}, RightRank: evaluation.RightRank{
			Rank: 2, Right: selection.ExplainedItem{ID: "a.md", Score: "0.5"}, First: selection.ExplainedItem{ID: "b.md", Score: "0.75"}, Why: "why \u2028", Weak: new(true),
		}},
		{ID: "b", Text: "what", Measures: []evaluation.Measure{{"ndcg@10", 0}, {"mrr@10", 0}}},
		{ID: "c", Text: "unanswerable"},
	}
	encoded := report.Encode(false)
	const each = `"each":[{"id":"a\"","text":"how","rank":2,"right":"a.md","right_score":0.5,"first":"b.md","first_score":0.75,"weak":true,"why":"why ` + "\u2028" +
		`","measures":{"ndcg@10":0.5000,"mrr@10":1.0000}},{"id":"b","text":"what","rank":0,"measures":{"ndcg@10":0.0000,"mrr@10":0.0000}},{"id":"c","text":"unanswerable","rank":0}]}` + "\n"
	if !bytes.HasSuffix(encoded, []byte(each)) {
		t.Errorf("got %s, want %s at the end", encoded, each)
	}
	var err error
	if report.Baseline, err = evaluation.ParseBaseline("b.json", encoded); err != nil {
		t.Fatal(err)
	}
	if changes, compared := report.Changes(); len(changes) != 0 || compared != 2 {
		t.Errorf("got %v of %d, want no changes of 2", changes, compared)
	}
	now := report
	now.Outcomes = slices.Clone(report.Outcomes)
	now.Outcomes[0].Measures = []evaluation.Measure{{"ndcg@10", 5000}, {"mrr@10", 2500}} // the first that differs counts
	now.Outcomes[1].Measures = []evaluation.Measure{{"ndcg@10", 1000}, {"mrr@10", 2500}}
	changes, _ := now.Changes()
	var got []string
	for _, c := range changes {
		got = append(got, fmt.Sprint(c.ID, c.Measure, c.Higher, c.RankBefore, c.Rank))
	}
	if want := []string{`a"mrr@10-0.7500 2 2`, "bndcg@100.1000 0 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	weak, notWeak := now.Weaknesses()
	if *weak != (evaluation.Confusion{Missed: 1}) || *notWeak != (evaluation.Confusion{}) {
		t.Errorf("got %v, %v", weak, notWeak)
	}
}
