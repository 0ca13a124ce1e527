package yaml12

import (
	"errors"
	"math"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	root, err := First([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestSpellingDecidesTheKind(t *testing.T) {
	for text, want := range map[string]Kind{
		"~": Null, "null": Null, "nULL": Text, "True": Bool, "yes": Text, "2026-01-01": Text, "12:34:56": Text,
		"017": Int, "0o17": Int, "0x1F": Int, "-0x1F": Text, "1_000": Text, "1.": Float, ".5e3": Float, "-.inf": Float,
		".nan": Float, "-.nan": Text, "'1'": Text, "!!str 1": Text, "!mine 1": Text, "!!int 1": Int, "[1]": List, "{}": Map,
	} {
		if got, ok := KindOf(parse(t, text)); got != want || !ok {
			t.Errorf("%s: got %s (%v), want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"!!int x", "!!binary aGk=", "!!map []", "!!null 0"} {
		if _, ok := KindOf(parse(t, text)); ok {
			t.Errorf("%s: the tag fits", text)
		}
	}
}

func TestATagOrQuotesMakeSpelledKindText(t *testing.T) {
	for text, want := range map[string]Kind{"1": Int, "'1'": Text, "!!int 1": Text, "!!null ~": Text, "[1]": List} {
		if got := SpelledKind(parse(t, text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestNumbersHaveTheirValues(t *testing.T) {
	for text, want := range map[string]float64{
		"-7": -7, "017": 17, "0o17": 15, "0x1F": 31, "0o0": 0, "1.5": 1.5, ".5e3": 500, "-.inf": math.Inf(-1), "+.INF": math.Inf(1),
		"0x20000000000001": 1 << 53, "0o400000000000000003": 1<<53 + 4, // halves round to even
		"0x" + strings.Repeat("0", 500) + "1": 1, "0o" + strings.Repeat("7", 342): math.Inf(1),
		"0x1" + strings.Repeat("0", 255): math.Ldexp(1, 1020), "0x" + strings.Repeat("f", 401): math.Inf(1),
	} {
		if got := Number(text); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	if got := Number(".NaN"); !math.IsNaN(got) {
		t.Errorf("got %v, want NaN", got)
	}
}

func TestInt64IsExact(t *testing.T) {
	for text, want := range map[string]int64{
		"-9223372036854775808": math.MinInt64, "+017": 17, "0o17": 15, "0x7fffffffffffffff": math.MaxInt64,
	} {
		if got, err := Int64(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	if _, err := Int64("9223372036854775808"); err == nil {
		t.Error("65 bits fit")
	}
}

func TestFirstIgnoresOtherDocuments(t *testing.T) {
	root, err := First([]byte("a: &x 1\na: *x\n---\n[\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := Follow(root.Content[3]); got != root.Content[1] {
		t.Errorf("got %v for *x, want the 1 that it stands for", got)
	}
	if root, err := First([]byte("# nothing\n")); root != nil || err != nil {
		t.Errorf("got %v, %v for an empty text, want nil", root, err)
	}
	if _, err := First([]byte("[")); err == nil {
		t.Error("an open bracket is accepted")
	}
}

func TestParseAndCheckAreStrict(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"a: 1\n": "",
		"a: {b: 1, '1': 2, 1: 3, &x c: 4}\nb: *x\n": "",
		"a: 1\n---\nb: 2\n":                         "line 2: a second document begins here; keep only one",
		"a: 1\nb: [\n":                              "line 3: not YAML: did not find expected node content; correct the indentation or the quotes near this line",
		"a:\n\tb: 1\n":                              "line 2: not YAML: found character that cannot start any token; indent with spaces, not tabs",
		"a:\n  b: *c\n":                             "line 2: not YAML: unknown anchor 'c' referenced; put text that begins with * or & in quotes",
		"# 1\n%YAML 1.2\n---\n":                     "line 2: the %YAML directive names another version of YAML; remove that line",
		"a: {b: 1, \"\\x62\": 2}":                   "line 1: b: duplicate key, first in line 1; remove one of the two",
		"1: a\n0x1: b\n":                            "line 2: 0x1: duplicate key, first in line 1; remove one of the two",
		"a: !!int x\n":                              "line 1: the tag \"!!int\" does not fit the value; remove the tag",
		strings.Repeat("[", 200) + strings.Repeat("]", 200): "line 1: nesting of more than 100 levels; make it flat",
	} {
		root, err := Parse(text)
		if err == nil && root != nil {
			err = Check(root)
		}
		if got := ""; err != nil {
			if got = err.Error(); got != want {
				t.Errorf("%q: got %s, want %s", text, got, want)
			}
		} else if want != "" {
			t.Errorf("%q: got no error, want %s", text, want)
		}
	}
}

func TestUnknownKeysNameTheNearest(t *testing.T) {
	root, err := Parse("ouput: 1\ncolour: 2\n")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"line 1: ouput: unknown key; did you mean output?", "line 2: colour: unknown key; remove it"} {
		if got := UnknownKey(root.Content[2*i], []string{"input", "output"}, "remove it").String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A cycle of anchors must not keep Check busy.
func FuzzParseAndCheckAnyText(f *testing.F) {
	for _, text := range []string{"a: &x [*x]\n", "&a a: *a\n? [b]\n: c\n", "%TAG ! tag:x,2000:\n---\n!y z\n", "!!map {<<: *a}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := Parse(text)
		if err == nil && root != nil {
			err = Check(root)
		}
		if p, ok := errors.AsType[*Problem](err); err != nil && (!ok || p.Line < 1 || strings.Contains(p.Error(), "\n")) {
			t.Errorf("got %#v, want a problem with a line, in one line", err)
		}
	})
}
