package evaluation_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/evaluation"
)

// A query as the tests compare it.
type named struct{ id, text string }

func namesOf(queries []evaluation.Topic) (names []named) {
	for _, q := range queries {
		names = append(names, named{q.ID, q.Query.Text()})
	}
	return names
}

func TestParseQueriesReadsAnObjectALine(t *testing.T) {
	data := "\ufeff{\"id\": \"1\", \"text\": \"how to install\"}\r\n" +
		"\n \t\n" +
		"{\"source\": {\"id\": 7}, \"text\": \"\", \"id\": \"a b\"}\n" +
		`{"text":"\u00fc \"quoted\"","id":"ü"}`
	got, err := evaluation.ParseQueries("q.jsonl", []byte(data))
	want := []named{{"1", "how to install"}, {"a b", ""}, {"ü", `ü "quoted"`}}
	if err != nil || !slices.Equal(namesOf(got), want) {
		t.Errorf("got %q, %v, want %q", namesOf(got), err, want)
	}
}

func TestParseQueriesNamesTheLineThatIsWrong(t *testing.T) {
	const good = `{"id":"1","text":"a"}` + "\n"
	for _, test := range []struct{ data, want string }{
		{"", "q.jsonl: there is no query in it"},
		{"\n\n", "q.jsonl: there is no query in it"},
		{good + "\n" + good, `q.jsonl:3: duplicate id "1", first in line 1`},
		{good + `{"text":"a"}`, `q.jsonl:2: "id" is missing or empty`},
		{`{"id":"","text":"a"}`, `q.jsonl:1: "id" is missing or empty`},
		{`{"id":"1"}`, `q.jsonl:1: "text" is missing`},
		{`{"id":1,"text":"a"}`, `q.jsonl:1: "id" is not a string`},
		{`{"id":"1","text":null}`, `q.jsonl:1: "text" is not a string`},
		{`{"id":"1","text":"a","text":"b"}`, `q.jsonl:1: byte 27: duplicate key "text"`},
		{`{"id":"1","text":"a"} {}`, `q.jsonl:1: byte 22: unexpected text after the end`},
		{`["1","a"]`, `q.jsonl:1: byte 0: expected '{'`},
		{"{\"id\":\"1\",\n\"text\":\"a\"}", "q.jsonl:1: "},
		{good + "{\"id\":\"2\",\"text\":\"\xff\"}", "q.jsonl:2: it is not UTF-8"},
		{`{"id":"2","text":"\ud800"}`, "q.jsonl:1: "},
		{`{"id":"2","text":"` + strings.Repeat("a", 1<<20+1) + `"}`, "q.jsonl:1: the query is too long: got 1048577 bytes"},
	} {
		_, err := evaluation.ParseQueries("q.jsonl", []byte(test.data))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%.100q: got %v, want %s", test.data, err, test.want)
		}
	}
}

func TestParseJudgmentsReadsBothForms(t *testing.T) {
	data := "1\ta.md\t1\r\n" +
		"\n" +
		"1 \ta file.md\t0\n" + // spaces belong to the names
		"2\tQ0\tdir/b\t2147483647\n" +
		"2 0 c 02\n" +
		"  3\t0  d  1  \n"
	got, err := evaluation.ParseJudgments("qrels", []byte(data))
	want := []evaluation.Judgment{
		{"1", "a.md", 1, 1},
		{"1 ", "a file.md", 0, 3},
		{"2", "dir/b", 1<<31 - 1, 4},
		{"2", "c", 2, 5},
		{"3", "d", 1, 6},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestParseJudgmentsPassesOverTheHeaderOfBEIR(t *testing.T) {
	got, err := evaluation.ParseJudgments("qrels", []byte("query-id\tcorpus-id\tscore\n1\ta\t1\n"))
	if want := []evaluation.Judgment{{"1", "a", 1, 2}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestParseJudgmentsNamesTheLineThatIsWrong(t *testing.T) {
	for _, test := range []struct{ data, want string }{
		{"", "qrels: there is no judgment in it"},
		{"query-id\tcorpus-id\tscore\n", "qrels: there is no judgment in it"},
		{"1\ta\t1\n2 b 1\n", "qrels:2: expected query, document and grade separated by tabs, or"},
		{"1\ta\n", "qrels:1: expected query, document and grade"},
		{"1 0 a 1 x\n", "qrels:1: expected query, document and grade"},
		{"1\t0\ta\t1\tx\n", "qrels:1: expected query, document and grade"},
		{"\n1\ta\tscore\n", `qrels:2: the grade is "score", expected an integer of 0 or more`},
		{"1\ta\t-1\n", `qrels:1: the grade is "-1"`},
		{"1\ta\t+1\n", `qrels:1: the grade is "+1"`},
		{"1\ta\t1.0\n", `qrels:1: the grade is "1.0"`},
		{"1\ta\t2147483648\n", `qrels:1: the grade is "2147483648"`},
		{"1\ta\t\n", `qrels:1: the grade is ""`},
		{"\ta\t1\n", "qrels:1: the query or the document is empty"},
		{"1\t\t1\n", "qrels:1: the query or the document is empty"},
		{"1\ta\t1\n1\t\xff\t1\n", "qrels:2: it is not UTF-8"},
		{"1\ta\t1\nquery-id\tcorpus-id\tscore\n", `qrels:2: the grade is "score"`},
	} {
		_, err := evaluation.ParseJudgments("qrels", []byte(test.data))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %s", test.data, err, test.want)
		}
	}
}

// A value prints as text that parses to the same value. Other text is
// explained with the file and the line.
func FuzzParseQueries(f *testing.F) {
	f.Add([]byte(`{"id": "1", "text": "how to install"}` + "\n" + `{"text": "\u00e9", "id": "2", "more": [1, {}]}`))
	f.Add([]byte("\ufeff\r\n{\"id\":\"1\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		queries, err := evaluation.ParseQueries("f", data)
		if err != nil {
			checkError(t, err)
			return
		}
		var again strings.Builder
		for _, q := range queries {
			line, err := json.Marshal(map[string]string{"id": q.ID, "text": q.Query.Text()})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&again, "%s\n", line)
		}
		read, err := evaluation.ParseQueries("f", []byte(again.String()))
		if err != nil || !slices.Equal(namesOf(read), namesOf(queries)) {
			t.Errorf("got %q, %v, want %q", namesOf(read), err, namesOf(queries))
		}
	})
}

func FuzzParseJudgments(f *testing.F) {
	f.Add([]byte("1\ta.md\t1\n\n2 0 b 3\r\n"))
	f.Add([]byte("query-id\tcorpus-id\tscore\n1\t0\ta b\t0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		judgments, err := evaluation.ParseJudgments("f", data)
		if err != nil {
			checkError(t, err)
			return
		}
		var again strings.Builder
		for i := range judgments {
			j := &judgments[i]
			j.Line = i + 2
			again.WriteString("\n" + j.Query + "\t0\t" + j.Document + "\t" + fmt.Sprint(j.Grade))
		}
		read, err := evaluation.ParseJudgments("f", []byte(again.String()))
		if err != nil || !slices.Equal(read, judgments) {
			t.Errorf("got %v, %v, want %v", read, err, judgments)
		}
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if !strings.HasPrefix(err.Error(), "f:") {
		t.Errorf("the error does not begin with the file: %v", err)
	}
}
