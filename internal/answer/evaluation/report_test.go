package evaluation_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/answer/evaluation"
)

var someReport = evaluation.TaskReport{
	Counts:   evaluation.Counts{Queries: 3, WithoutRelevant: 1, MissingDocuments: 2},
	Measures: []evaluation.Measure{{"ndcg@10", 6543}, {"mrr@10", 10000}, {"budgeted_recall@4000", 0}},
}

func TestReportIsJSON(t *testing.T) {
	report := someReport
	report.Baseline = &evaluation.Baseline{Queries: 3, Measures: []evaluation.Measure{{"mrr@10", 9000}, {"ndcg@10", 6549}, {"old", 1}}}
	want := `{"cache_version":"sha256:` + strings.Repeat("0", 64) + `","queries":3,"queries_without_relevant":1,"documents_missing":2,` +
		`"measures":{"ndcg@10":0.6543,"mrr@10":1.0000,"budgeted_recall@4000":0.0000},` +
		`"baseline":{"mrr@10":0.9000,"ndcg@10":0.6549,"old":0.0001},"differences":{"ndcg@10":-0.0006,"mrr@10":0.1000}}` + "\n"
	if got := string(report.Encode(false)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReportsAreBaselines(t *testing.T) {
	compared := someReport
	compared.Baseline = &evaluation.Baseline{Measures: []evaluation.Measure{{"ndcg@10", 1}}}
	for _, report := range []evaluation.TaskReport{someReport, compared} {
		for _, pretty := range []bool{false, true} {
			got, err := evaluation.ParseBaseline("b.json", report.Encode(pretty))
			if err != nil || got.Queries != report.Queries || !slices.Equal(got.Measures, report.Measures) {
				t.Errorf("got %v, %v, want %v", got, err, report.Measures)
			}
		}
	}
}

func TestParseBaselineRefusesWhatIsNoReport(t *testing.T) {
	const begins = "b.json: it is not an evaluation report in JSON: "
	for _, test := range []struct{ data, want string }{
		{"", `byte 0: expected '{'`},
		{"MEASURE  VALUE\n", `byte 0: expected '{'`},
		{"{}", "it contains no queries or no measures"},
		{`{"queries":3,"measures":{}}`, "it contains no queries or no measures"},
		{`{"measures":{"a":0.1}}`, "it contains no queries or no measures"},
		{`{"queries":-1,"measures":{"a":0.1}}`, "it contains no queries or no measures"},
		{`{"queries":3,"measures":{"a":1.1}}`, `a is "1.1": expected a number`},
		{`{"queries":3,"measures":{"a":"0.1"}}`, `a is "\"0.1\"": expected a number`},
		{`{"queries":3,"measures":{"a":0.1,"a":0.1}}`, "byte 36: duplicate key \"a\""},
		{`{"queries":3,"measures":{"a":0.1}}{}`, "byte 34: unexpected text after the end"},
	} {
		_, err := evaluation.ParseBaseline("b.json", []byte(test.data))
		if err == nil || !strings.HasPrefix(err.Error(), begins+test.want) {
			t.Errorf("%s: got %v, want %s", test.data, err, begins+test.want)
		}
	}
}

func TestReportWarnsOfAnotherKindOfBaseline(t *testing.T) {
	report := someReport
	if got := report.Warnings(); got != nil {
		t.Errorf("without a baseline: got %q", got)
	}
	report.Baseline = &evaluation.Baseline{Queries: 4, Measures: []evaluation.Measure{{"ndcg@10", 1}, {"mrr@10", 1}, {"budgeted_recall@8000", 1}}}
	want := []string{
		"the baseline contains 4 queries and this report 3: differences do not come from the documents alone",
		"the baseline does not contain budgeted_recall@4000, so it is not compared",
		`the baseline contains "budgeted_recall@8000", which is not measured now, so it is not compared`,
	}
	if got := report.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGatesLetThroughWhatIsHighEnough(t *testing.T) {
	baseline := evaluation.Baseline{Measures: []evaluation.Measure{{"ndcg@10", 6600}, {"mrr@10", 10000}, {"old", 10000}}}
	gate := func(text string) evaluation.Gate {
		gate, err := evaluation.ParseGate(text, evaluation.Measures([]uint64{4000}))
		if err != nil {
			t.Fatal(err)
		}
		return gate
	}
	for _, test := range []struct {
		gates []evaluation.Gate
		want  string
	}{
		{nil, ""},
		{[]evaluation.Gate{gate("ndcg@10=0.6543"), gate("budgeted_recall@4000=0")}, ""},
		{[]evaluation.Gate{gate("ndcg@10=0.6544")}, "ndcg@10 is 0.6543, expected at least 0.6544"},
		{
			[]evaluation.Gate{gate("budgeted_recall@4000=0.5"), gate("mrr@10=1"), gate("ndcg@10=1")},
			"budgeted_recall@4000 is 0.0000, expected at least 0.5000; ndcg@10 is 0.6543, expected at least 1.0000",
		},
		{baseline.Gates(57), ""}, // no float: 0.66 - 0.6543 is a little more than 0.0057
		{baseline.Gates(56), "ndcg@10 is 0.6543, expected at least 0.6544 (the baseline is 0.6600)"},
		{baseline.Gates(10000), ""},
	} {
		got := ""
		if err := someReport.Check(test.gates); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q", test.gates, got, test.want)
		}
	}
}

func TestParseGateRefusesWhatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"":              "expected MEASURE=MINIMUM",
		"ndcg@10":       "expected MEASURE=MINIMUM",
		"ndcg=0.7":      `there is no measure "ndcg", but ndcg@10, recall@10, recall@100, mrr@10, budgeted_recall@8`,
		"NDCG@10=0.7":   "there is no measure",
		"ndcg@10=":      `"": expected a number from 0 to 1`,
		"ndcg@10=1.1":   `"1.1": expected a number from 0 to 1`,
		"ndcg@10=70%":   `"70%": expected a number from 0 to 1`,
		"ndcg@10 = 0.7": "there is no measure",
		"ndcg@10=0.7=1": `"0.7=1": expected a number`,
	} {
		_, err := evaluation.ParseGate(text, evaluation.Measures([]uint64{8}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseValueReadsWhatIsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := evaluation.Fraction(rapid.IntRange(0, 10000).Draw(t, "value"))
		for _, text := range []string{value.String(), strings.TrimRight(strings.TrimRight(value.String(), "0"), ".")} {
			if text == "" {
				continue // 0.0000 without its zeros
			}
			if got, err := evaluation.ParseFraction(text); err != nil || got != value {
				t.Errorf("%q: got %v, %v, want %v", text, got, err, value)
			}
		}
	})
	for _, text := range []string{"", ".", ".5", "0.", "00", "01", "0.00001", "1.0001", "2", "-0.1", "-0", "+0.1", "1e-2", "NaN", "0x0", " 0", "0\n", "0,5", "٠"} {
		if got, err := evaluation.ParseFraction(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func FuzzParseBaseline(f *testing.F) {
	f.Add(someReport.Encode(false))
	f.Add(someReport.Encode(true))
	f.Add([]byte(`{"queries": 1, "measures": {"\u0000": 1}}`))
	f.Add([]byte(`{"queries": 1, "measures": {"a": 1}, "each": [{"id": "q", "text": "t", "rank": 3, "measures": {"a": 0.5}}, {}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		baseline, err := evaluation.ParseBaseline("f", data)
		if err != nil {
			checkError(t, err)
			return
		}
		report := evaluation.TaskReport{
			Counts: evaluation.Counts{Queries: baseline.Queries}, Measures: baseline.Measures,
			Outcomes: baseline.Outcomes, WithEach: true,
		}
		again, err := evaluation.ParseBaseline("f", report.Encode(true))
		if err != nil || again.Queries != baseline.Queries || !slices.Equal(again.Measures, baseline.Measures) || !reflect.DeepEqual(again.Outcomes, baseline.Outcomes) {
			t.Errorf("got %v, %v, want %v", again, err, baseline)
		}
	})
}
