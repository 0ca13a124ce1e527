package request

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/selection"
)

// allParameters returns the parameters of all requests, by the name of the request.
func allParameters() map[string][]Parameter {
	var from CacheScope
	var text string
	return map[string][]Parameter{
		"search":  Search(new(agent.SearchRequest), &from),
		"ask":     Ask(new(agent.AskRequest), &from),
		"read":    Read(new(agent.ReadRequest), &from),
		"outline": Outline(new(agent.OutlineRequest), &from),
		"grep":    Grep(new(agent.GrepRequest), new(int), &from),
		"diff":    Diff(new(agent.DiffRequest), &text, new(string)),
		"select":  append(Select(new(selection.Request)), Tokens("budget", "").To(new(uint64))),
	}
}

// read decodes an argument, and returns its value.
func (f Parameter) read(text string, isLenient bool) (any, error) {
	f = f.To(reflect.New(reflect.TypeOf(f.value).Elem()).Interface())
	f.check = nil // the forms don't depend on what the texts say
	if _, isCode := f.value.(*agent.CodeFilter); isCode {
		f.value = new(string)
	}
	err := Decode([]byte(fmt.Sprintf(`{%q:%s}`, f.Name, text)), []Parameter{f}, isLenient)
	return reflect.ValueOf(f.value).Elem().Interface(), err
}

// A lenientCase is a value that an argument can have on the server for agents.
type lenientCase struct {
	text string
	want any // nil if it is refused
}

// lenientCases returns cases for all parameters like f.
func lenientCases(t *testing.T, f Parameter) (cases []lenientCase) {
	t.Helper()
	optional := f
	optional.Required = false
	missing, err := optional.read("null", true)
	if err != nil {
		t.Fatal(err)
	}
	_, isList := f.value.(*[]string)
	if !f.Required {
		for _, text := range []string{"null", `""`, `" "`, `[""]`, `[null]`} {
			want := missing
			if text == "[null]" && isList {
				want = nil
			}
			cases = append(cases, lenientCase{text, want})
		}
	}
	switch f.value.(type) {
	case *string, *agent.CodeFilter:
		cases = append(cases, []lenientCase{
			{`"x"`, "x"},
			{`["x"]`, "x"},
			{`[["x"]]`, "x"},
			{`404`, "404"},
			{`1.10`, "1.10"},
			{`" x "`, " x "},
			{`"x\ud83d"`, nil},
			{`true`, nil},
			{`{"x":1}`, nil},
			{`[true]`, nil},
			{`"3"`, "3"},
			{`"\"x\""`, `"x"`},
		}...)
		several, listed := any(nil), any("x")
		if f.isSeparated {
			several = "x,y"
		}
		if f.isFree {
			listed = `["x"]`
		}
		cases = append(cases, lenientCase{`["x","y"]`, several}, lenientCase{`"[\"x\"]"`, listed})
	case *[]string:
		cases = append(cases, []lenientCase{
			{`["x","y"]`, []string{"x", "y"}},
			{`"x"`, []string{"x"}},
			{`"[\"x\"]"`, []string{"x"}},
			{`" [\"x\", \"y\"] "`, []string{"x", "y"}},
			{`["[\"x\",\"y\"]"]`, []string{"x", "y"}},
			{`[["x","y"]]`, []string{"x", "y"}},
			{`"[x]"`, []string{"[x]"}},
			{`"[1]"`, []string{"[1]"}},
			{`[]`, []string{}},
			{`"[]"`, []string{}},
			{`5`, nil},
			{`[1]`, nil},
			{`["x",1]`, nil},
			{`["x",null]`, nil},
			{`[["x"],["y"]]`, nil},
			{`true`, nil},
		}...)
		if !f.Required {
			cases = append(cases, lenientCase{`["x",""]`, []string{"x"}})
		}
		parts, pairs, pair := []string{"x, y"}, any(nil), any(nil)
		if f.isSeparated {
			parts = []string{"x", "y"}
		}
		if f.isPairs {
			pairs, pair = []string{"x=y", "z=1"}, []string{"x=y"}
		}
		cases = append(cases, lenientCase{`"x, y"`, parts}, lenientCase{`["x, y"]`, parts}, lenientCase{`{"x":"y","z":1}`, pairs}, lenientCase{`[{"x":"y","z":1}]`, pairs})
		cases = append(cases, lenientCase{`[{"x":"y"},{"z":1}]`, pairs}, lenientCase{`{"x":["y"]}`, pair}, lenientCase{`[{"x":"y"},"z=1"]`, nil})
		cases = append(cases, lenientCase{`{"x":["y","z"]}`, nil}, lenientCase{`{"x":{"y":"z"}}`, nil}, lenientCase{`{"x":null}`, nil})
		if f.isPairs {
			cases = append(cases, lenientCase{`"{\"x\":\"y\",\"z\":1}"`, pairs})
		}
	case *bool:
		for want, texts := range map[bool][]string{
			true:  {`true`, `"true"`, `"True"`, `" TRUE "`, `1`, `"1"`, `"yes"`, `"on"`, `[true]`, `["true"]`, `"[true]"`},
			false: {`false`, `"false"`, `"False"`, `0`, `"0"`, `"No"`, `"off"`, `[false]`, `"null"`},
		} {
			for _, text := range texts {
				cases = append(cases, lenientCase{text, want})
			}
		}
		cases = append(cases, []lenientCase{{`2`, nil}, {`"2"`, nil}, {`"maybe"`, nil}, {`[true,true]`, nil}, {`{}`, nil}, {`0.0`, nil}}...)
	case *int:
		for _, text := range []string{`3`, `3.0`, `"3"`, `"3.0"`, `" 3 "`, `30e-1`, `"0.3e1"`, `[3]`, `["3"]`, `"[3]"`, `"[\"3\"]"`} {
			cases = append(cases, lenientCase{text, 3})
		}
		for _, text := range []string{`3.5`, `"3.5"`, `"three"`, `"3 sections"`, `"1,000"`, `"0x3"`, `"-3"`, `true`, `"true"`, `{}`, `[3,4]`, `"1e999999"`, `[]`} {
			cases = append(cases, lenientCase{text, nil})
		}
		cases = append(cases, lenientCase{`"null"`, missing})
	case *uint32:
		for _, text := range []string{`0.25`, `"0.25"`, `"25e-2"`, `[0.25]`, `" 0.25"`} {
			cases = append(cases, lenientCase{text, uint32(250_000)})
		}
		cases = append(cases, []lenientCase{{`"1"`, uint32(1_000_000)}, {`"0"`, uint32(0)}, {`"25%"`, nil}, {`"NaN"`, nil}, {`"Inf"`, nil}, {`"1.1"`, nil}, {`"-0.1"`, nil}, {`"low"`, nil}, {`true`, nil}}...)
	}
	return cases
}

// Every parameter of every request can have any form with a single meaning. Other forms are
// refused, with what is expected.
func TestArgumentsInOtherFormsAreUnderstood(t *testing.T) {
	kinds := map[reflect.Type]int{}
	for name, parameters := range allParameters() {
		for _, f := range parameters {
			kinds[reflect.TypeOf(f.value)]++
			for _, c := range lenientCases(t, f) {
				got, err := f.read(c.text, true)
				_, isArgument := errors.AsType[agent.ArgumentError](err)
				switch {
				case c.want == nil && (!isArgument || !strings.Contains(err.Error(), "expected ")):
					t.Errorf("%s of %s: %s: got %v and error %v, want what is expected", f.Name, name, c.text, got, err)
				case c.want != nil && (err != nil || !reflect.DeepEqual(got, c.want)):
					t.Errorf("%s of %s: %s: got %#v and error %v, want %#v", f.Name, name, c.text, got, err, c.want)
				}
			}
		}
	}
	if len(kinds) != 7 {
		t.Errorf("got parameters of the kinds %v, want all", kinds)
	}
}

func TestArgumentsCanBeWrapped(t *testing.T) {
	for text, want := range map[string]string{
		`{"query":"a","limit":3}`:                     "a 3",
		`"{\"query\":\"a\",\"limit\":3}"`:             "a 3",
		`" {\"query\":\"a\",\"limit\":\"3\"} "`:       "a 3",
		`[{"query":"a","limit":3}]`:                   "a 3",
		`{"arguments":{"query":"a","limit":3}}`:       "a 3",
		`{"input":"{\"query\":\"a\",\"limit\":3}"}`:   "a 3",
		`{"args":{"kwargs":{"query":"a","limit":3}}}`: "a 3",
		``:                          "missing argument \"query\"",
		`""`:                        "missing argument \"query\"",
		`[]`:                        "missing argument \"query\"",
		`"null"`:                    "missing argument \"query\"",
		`{"input":{}}`:              "missing argument \"query\"",
		`{"query":{"query":"a"}}`:   `argument "query" is {"query":"a"}: expected a string`,
		`{"a":{"query":"a"},"b":1}`: `unknown argument "a": this tool takes query, limit`,
		`{"question":"a"}`:          `unknown argument "question": this tool takes query, limit`,
		`"a"`:                       "arguments: expected an object",
		`["a"]`:                     "arguments: expected an object",
		`5`:                         "arguments: expected an object",
		`[{"query":"a"},{}]`:        "arguments: expected an object",
	} {
		var asked agent.SearchRequest
		const isLenient = true
		err := Decode([]byte(text), []Parameter{query.To(&asked.Query), Hits.To(&asked.Limit)}, isLenient)
		got := fmt.Sprint(asked.Query, " ", asked.Limit)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Whatever a client sends, lenient reading changes nothing that is right.
func FuzzMeant(f *testing.F) {
	for _, text := range []string{`"3"`, `["[\"a\"]"]`, `{"a":"b"}`, `" "`, `[[["x"]]]`, `"[[]]"`, `""`, `"\ud83d\ude00"`, `"1e5"`, `[""]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, isJSON := parse([]byte(text)); !isJSON {
			return
		}
		for _, parameters := range allParameters() {
			unwrapped([]byte(text), parameters)
			for _, f := range parameters {
				right, err := f.read(text, false)
				got, lenientErr := f.read(text, true)
				switch f.value.(type) {
				case *string, *[]string, *agent.CodeFilter:
					continue
				}
				if err == nil && (lenientErr != nil || !reflect.DeepEqual(right, got)) {
					t.Errorf("%s: %s: got %v and error %v, want %v", f.Name, text, got, lenientErr, right)
				}
			}
		}
	})
}

// A share is rounded to the next millionth.
func TestSharesAreRounded(t *testing.T) {
	share := minScore(0).To(new(uint32))
	for text, want := range map[string]uint32{
		"0": 0, "-0": 0, "1": 1_000_000, "0.5": 500_000, "5e-1": 500_000,
		"0.57": 570_000, "0.29": 290_000, "0.1234564": 123_456, "0.1234566": 123_457, // .57 times a million is a bit less than 570,000
		"0.0000004": 0, "0.0000006": 1, "0.9999994": 999_999, "0.9999996": 1_000_000,
	} {
		if got, err := share.read(text, false); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"1.0000001", "-0.0000001", "1e400", "2"} {
		if got, err := share.read(text, false); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}

// An integer can have any notation, but not any size.
func TestIntegersHaveTheirExactValue(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0e5": "0", "0e9999": "0", "4e3": "4000", "4000.0": "4000", "40000e-1": "4000",
		"18446744073709551615": "18446744073709551615", "18446744073709551615.0": "18446744073709551615", "18446744073709551616": "none", "1e19": "10000000000000000000", "1e20": "none",
		"9007199254740993": "9007199254740993", "0.5": "none", "-1": "none", "1e-1": "none", "1e999": "none", "1e1000": "none", "0.0e-9999": "0",
		"1" + zeros(394) + "e-394": "1", "1" + zeros(395) + "e-395": "none", // 400 and 401 bytes
	} {
		got := "none"
		if n, ok := integerOf(text); ok {
			got = fmt.Sprint(n)
		}
		if got != want {
			t.Errorf("%.30s (%d bytes): got %s, want %s", text, len(text), got, want)
		}
	}
}
