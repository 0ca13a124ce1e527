package toml

import (
	"fmt"
	"strings"
	"testing"
)

// Texts of a few kilobytes can take seconds and gigabytes, or end the process.
func TestTextsThatCostTooMuchAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nested inline tables":     {"x = " + strings.Repeat("{a=", 2000), "line 1: more than 100 arrays"},
		"nested arrays":            {"\nx = " + strings.Repeat("[", 5_000_000), "line 2: more than 100 arrays"},
		"nested arrays, hidden":    {"x = " + strings.Repeat("[']]]]', \"]]\\\"]]\", '''\n]]''''', \"\"\"]]\\\"\"\"\"\", # ]]]\n", 101), "more than 100 arrays"},
		"a dotted key":             {strings.Repeat("a.", 2000) + "a = 1", "more than 100 arrays"},
		"a quoted dotted key":      {strings.Repeat(`"a" . `, 2000) + "a = 1", "more than 100 arrays"},
		"a dotted header":          {"[" + strings.Repeat("a.", 2000) + "a]", "more than 100 arrays"},
		"a dotted key in a table":  {"x = {" + strings.Repeat("a.", 2000) + "a = 1}", "more than 100 arrays"},
		"many keys in a long path": {"[" + strings.Repeat("k", 100_000) + "]\n" + strings.Repeat("a = 1\n", 2000), "the keys are too long"},
		"many long paths":          {strings.Repeat("["+strings.Repeat("a.", 99)+"a]\n", 2000), "the keys are too long"},
		"many elements":            {"x = [" + strings.Repeat("[],", maxItems) + "]", "more than 500000 keys"},
		"many tables":              {strings.Repeat("[[a]]\n", maxItems+1), "more than 500000 keys"},
		"many comments":            {strings.Repeat("#\n", maxItems+1), "more than 500000 keys"},
		"a large file":             {strings.Repeat("\n", MaxSize+1), "larger than 16777216 bytes"},
		"a wrong number":           {"x = " + strings.Repeat("1", 1000), "1111..."},
		"no TOML":                  {"x = \"\\x\"", "toml: "},
	} {
		var v any
		if err := Unmarshal([]byte(tc.text), &v); err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 2*maxMessage {
			t.Errorf("%s: got %.1000v, want %s", name, err, tc.want)
		}
	}
}

func TestOrdinaryTextsAreDecoded(t *testing.T) {
	var text strings.Builder
	for i := range 2000 { // like uv.lock
		fmt.Fprintf(&text, "[[package]]\nname = 'p%d'\nversion = \"1.0\"\nwheels = [\n    { url = \"https://files/a.whl\", size = 1 }, # [[\n]\n[package.metadata.x]\n'[[{{' = \"\"\"\n{{{{\"\"\"\"\"\n", i)
	}
	var lock struct {
		Package []struct {
			Name, Version string
			Wheels        []struct{ URL string }
			Metadata      struct{ X map[string]string }
		}
	}
	if err := Unmarshal([]byte(text.String()), &lock); err != nil {
		t.Fatal(err)
	}
	last := lock.Package[len(lock.Package)-1]
	if got := fmt.Sprint(len(lock.Package), last); got != `2000 {p1999 1.0 [{https://files/a.whl}] {map[[[{{:{{{{""]}}` {
		t.Errorf("got %s", got)
	}
}

// The guard must not take a bracket in a string for one that opens or closes anything.
func FuzzTheGuardSeesTheDepthThatTheLibrarySees(f *testing.F) {
	for _, text := range []string{
		"a = [[1], [[2]]]", "a.b = {c = [']', \"]\\\"\", '''''a]''''']}", "[[a]]\nb = \"\"\"\\\"\"\"\"\"\nc = [[[[]]]]\n[a.'[[']\n", "x = [ # ]]\n[[[[1]]]]]", "a = '",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v map[string]any
		if len(text) > 10_000 || Unmarshal([]byte(text), &v) != nil {
			return
		}
		if depth := arraysIn(v); depth > 0 && check([]byte(text), depth-1) == nil {
			t.Errorf("%q has %d nested arrays, but the guard saw fewer", text, depth)
		}
	})
}

// arraysIn returns how deep the arrays in a value are nested.
func arraysIn(v any) (depth int) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			depth = max(depth, arraysIn(element))
		}
		return 1 + depth
	case map[string]any:
		for _, element := range v {
			depth = max(depth, arraysIn(element))
		}
	case []map[string]any:
		for _, element := range v {
			depth = max(depth, arraysIn(element))
		}
	}
	return depth
}
