package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/agent"
)

// allTools returns the tools of both servers.
func allTools(t *testing.T) []tool {
	t.Helper()
	cfg := Settings{CacheRoot: t.TempDir(), ProjectRoot: t.TempDir(), Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	agents, contract := agentSpec(cfg, true), contractSpec(cfg)
	t.Cleanup(agents.end)
	t.Cleanup(contract.end)
	return append(agents.tools, contract.tools...)
}

// read decodes an argument as its tool does on the server of the contract.
func (a argument) read(text string) (value any, err error) {
	const isLenient = false
	return a.of(parseArguments([]byte(fmt.Sprintf(`{%q:%s}`, a.name, text)), []argument{a}, isLenient))
}

// readLeniently decodes an argument as its tool does on the server for agents.
func (a argument) readLeniently(text string) (value any, err error) {
	const isLenient = true
	return a.of(parseArguments([]byte(fmt.Sprintf(`{%q:%s}`, a.name, text)), []argument{a}, isLenient))
}

func (a argument) of(args *callArguments) (value any, err error) {
	switch a.kind {
	case textKind:
		value = args.text(a)
	case listKind, anyListKind:
		value = args.list(a)
	case flagKind:
		value = args.flag(a)
	case integerKind:
		value = args.integer(a)
	case shareKind:
		value = args.share(a)
	}
	return value, args.err
}

// A call can pass exactly what the schema of its tool allows.
func TestNumbersHaveTheBoundsOfTheirSchema(t *testing.T) {
	found := 0
	for _, tool := range allTools(t) {
		var schema struct {
			Properties map[string]struct{ Minimum, Maximum *int }
		}
		if err := json.Unmarshal([]byte(schemaOf(tool.arguments)), &schema); err != nil {
			t.Fatal(err)
		}
		for _, a := range tool.arguments {
			bounds := schema.Properties[a.name]
			if bounds.Minimum == nil {
				continue
			}
			found++
			passed := map[int]bool{*bounds.Minimum: true, *bounds.Minimum - 1: false}
			if bounds.Maximum != nil {
				passed[*bounds.Maximum], passed[*bounds.Maximum+1] = true, false
			}
			for n, isAllowed := range passed {
				if _, err := a.read(fmt.Sprint(n)); (err == nil) != isAllowed {
					t.Errorf("%s of %s: got error %v for %d", a.name, tool.name, err, n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no tool takes a number")
	}
}

// Models often send a single text where a tool takes a list.
func TestASingleTextIsAListOfOne(t *testing.T) {
	for _, a := range []argument{cachesArgument, pathArgument, whereArgument, idsArgument, haveArgument} {
		for text, want := range map[string][]string{`"a=b"`: {"a=b"}, `["a=b"]`: {"a=b"}, `[]`: {}} {
			if got, err := a.read(text); err != nil || !slices.Equal(got.([]string), want) {
				t.Errorf("%s: %s: got %q and error %v, want %q", a.name, text, got, err, want)
			}
		}
		_, err := a.read(`5`)
		if _, isArgument := errors.AsType[agent.ArgumentError](err); !isArgument {
			t.Errorf("%s: 5: got error %v, want what is expected", a.name, err)
		}
	}
}

// A lenientCase is a value that an argument can have on the server for agents.
type lenientCase struct {
	text string
	want any // nil if it is refused
}

// lenientCases returns cases for all arguments like a.
func lenientCases(t *testing.T, a argument) (cases []lenientCase) {
	t.Helper()
	optional := a
	optional.required = false
	missing, err := optional.of(&callArguments{})
	if err != nil {
		t.Fatal(err)
	}
	if !a.required {
		for _, text := range []string{"null", `""`, `" "`, `[""]`, `[null]`} {
			want := missing
			if text == "[null]" && (a.kind == listKind || a.kind == anyListKind) {
				want = nil
			}
			cases = append(cases, lenientCase{text, want})
		}
	}
	switch a.kind {
	case textKind:
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
		if a.isSeparated {
			several = "x,y"
		}
		if a.isFree {
			listed = `["x"]`
		}
		cases = append(cases, lenientCase{`["x","y"]`, several}, lenientCase{`"[\"x\"]"`, listed})
	case listKind, anyListKind:
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
		if !a.required {
			cases = append(cases, lenientCase{`["x",""]`, []string{"x"}})
		}
		parts, pairs, pair := []string{"x, y"}, any(nil), any(nil)
		if a.isSeparated {
			parts = []string{"x", "y"}
		}
		if a.isPairs {
			pairs, pair = []string{"x=y", "z=1"}, []string{"x=y"}
		}
		cases = append(cases, lenientCase{`"x, y"`, parts}, lenientCase{`["x, y"]`, parts}, lenientCase{`{"x":"y","z":1}`, pairs}, lenientCase{`[{"x":"y","z":1}]`, pairs})
		cases = append(cases, lenientCase{`[{"x":"y"},{"z":1}]`, pairs}, lenientCase{`{"x":["y"]}`, pair}, lenientCase{`[{"x":"y"},"z=1"]`, nil})
		cases = append(cases, lenientCase{`{"x":["y","z"]}`, nil}, lenientCase{`{"x":{"y":"z"}}`, nil}, lenientCase{`{"x":null}`, nil})
		if a.isPairs {
			cases = append(cases, lenientCase{`"{\"x\":\"y\",\"z\":1}"`, pairs})
		}
	case flagKind:
		for want, texts := range map[bool][]string{
			true:  {`true`, `"true"`, `"True"`, `" TRUE "`, `1`, `"1"`, `"yes"`, `"on"`, `[true]`, `["true"]`, `"[true]"`},
			false: {`false`, `"false"`, `"False"`, `0`, `"0"`, `"No"`, `"off"`, `[false]`, `"null"`},
		} {
			for _, text := range texts {
				cases = append(cases, lenientCase{text, want})
			}
		}
		cases = append(cases, []lenientCase{{`2`, nil}, {`"2"`, nil}, {`"maybe"`, nil}, {`[true,true]`, nil}, {`{}`, nil}, {`0.0`, nil}}...)
	case integerKind:
		for _, text := range []string{`3`, `3.0`, `"3"`, `"3.0"`, `" 3 "`, `30e-1`, `"0.3e1"`, `[3]`, `["3"]`, `"[3]"`, `"[\"3\"]"`} {
			cases = append(cases, lenientCase{text, uint64(3)})
		}
		for _, text := range []string{`3.5`, `"3.5"`, `"three"`, `"3 sections"`, `"1,000"`, `"0x3"`, `"-3"`, `true`, `"true"`, `{}`, `[3,4]`, `"1e999999"`, `[]`} {
			cases = append(cases, lenientCase{text, nil})
		}
		cases = append(cases, lenientCase{`"null"`, missing})
	case shareKind:
		for _, text := range []string{`0.25`, `"0.25"`, `"25e-2"`, `[0.25]`, `" 0.25"`} {
			cases = append(cases, lenientCase{text, uint32(250_000)})
		}
		cases = append(cases, []lenientCase{{`"1"`, uint32(1_000_000)}, {`"0"`, uint32(0)}, {`"25%"`, nil}, {`"NaN"`, nil}, {`"Inf"`, nil}, {`"1.1"`, nil}, {`"-0.1"`, nil}, {`"low"`, nil}, {`true`, nil}}...)
	}
	return cases
}

// On the server for agents, every argument of every tool can have any form with a single meaning.
// Other forms are refused, with what is expected.
func TestArgumentsInOtherFormsAreUnderstood(t *testing.T) {
	cfg := Settings{CacheRoot: t.TempDir(), ProjectRoot: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	agents := agentSpec(cfg, true)
	defer agents.end()
	kinds := map[argumentKind]int{}
	for _, tool := range agents.tools {
		for _, a := range tool.arguments {
			kinds[a.kind]++
			for _, c := range lenientCases(t, a) {
				got, err := a.readLeniently(c.text)
				_, isArgument := errors.AsType[agent.ArgumentError](err)
				switch {
				case c.want == nil && (!isArgument || !strings.Contains(err.Error(), "expected ")):
					t.Errorf("%s of %s: %s: got %v and error %v, want what is expected", a.name, tool.name, c.text, got, err)
				case c.want != nil && (err != nil || !reflect.DeepEqual(got, c.want)):
					t.Errorf("%s of %s: %s: got %#v and error %v, want %#v", a.name, tool.name, c.text, got, err, c.want)
				}
			}
		}
	}
	if len(kinds) != int(shareKind)+1 {
		t.Errorf("got arguments of the kinds %v, want all", kinds)
	}
}

// The server of the contract takes what the schema says, and nothing else.
func TestTheContractTakesNoOtherForms(t *testing.T) {
	cfg := Settings{CacheRoot: t.TempDir(), ProjectRoot: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	contract := contractSpec(cfg)
	defer contract.end()
	if contract.explains {
		t.Error("the contract reads arguments leniently")
	}
	refused := map[argumentKind][]string{
		textKind: {`404`, `["x"]`, `true`}, integerKind: {`"3"`, `""`, `[3]`, `3.5`}, listKind: {`"x"`, `""`, `"[\"x\"]"`, `[["x"]]`, `{"x":"y"}`},
	}
	for _, tool := range contract.tools {
		for _, a := range tool.arguments {
			if len(refused[a.kind]) == 0 {
				t.Errorf("%s of %s: no case", a.name, tool.name)
			}
			for _, text := range refused[a.kind] {
				if got, err := a.read(text); err == nil {
					t.Errorf("%s of %s: %s: got %v, want an error", a.name, tool.name, text, got)
				}
			}
		}
	}
}

func TestArgumentsCanBeWrapped(t *testing.T) {
	declared := []argument{queryArgument, hitsArgument}
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
		const isLenient = true
		args := parseArguments([]byte(text), declared, isLenient)
		got := fmt.Sprint(args.text(queryArgument), " ", args.integer(hitsArgument))
		if args.err != nil {
			got = args.err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Whatever a client sends, lenient reading gives valid JSON, and changes nothing that is right.
func FuzzMeant(f *testing.F) {
	for _, text := range []string{`"3"`, `["[\"a\"]"]`, `{"a":"b"}`, `" "`, `[[["x"]]]`, `"[[]]"`, `""`, `"\ud83d\ude00"`, `"1e5"`, `[""]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wellFormed([]byte(text)) != nil {
			return
		}
		text = strings.TrimSpace(text)
		meantArguments([]byte(text), []argument{queryArgument})
		for _, a := range []argument{queryArgument, codeArgument, cachesArgument, whereArgument, pathArgument, fieldsArgument, regexpArgument, hitsArgument, searchScore} {
			right, err := a.read(text)
			got, lenientErr := a.readLeniently(text)
			if meant := a.meant([]byte(text)); wellFormed(meant) != nil {
				t.Errorf("%s: %s became %s", a.name, text, meant)
			}
			isList := a.kind == listKind || a.kind == anyListKind
			if err == nil && a.kind != textKind && !isList && (lenientErr != nil || !reflect.DeepEqual(right, got)) {
				t.Errorf("%s: %s: got %v and error %v, want %v", a.name, text, got, lenientErr, right)
			}
		}
	})
}
