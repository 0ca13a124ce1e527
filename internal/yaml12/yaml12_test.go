package yaml12

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	document, err := Next(yaml.NewDecoder(strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return document.Content[0]
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

func TestNextReturnsADocumentAtATime(t *testing.T) {
	decoder := yaml.NewDecoder(strings.NewReader("a: &x 1\nb: *x\n---\nc\n"))
	first, err := Next(decoder)
	if err != nil {
		t.Fatal(err)
	}
	if top := first.Content[0]; Follow(top.Content[3]) != top.Content[1] {
		t.Errorf("got %v for *x, want the 1 that it stands for", top.Content[3])
	}
	if second, err := Next(decoder); err != nil || second.Content[0].Value != "c" {
		t.Errorf("got %v, %v, want c", second, err)
	}
	if _, err := Next(decoder); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}
