package contextfile_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

func parse(t *testing.T, text string) *contextfile.Context {
	t.Helper()
	c, err := contextfile.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const required = "version: 1\nlast_updated: l\nfingerprint: f\nscope: .\nsummary: S\nmaintenance: M\n"

func TestClaimsAreAllThatAFileSaysInWords(t *testing.T) {
	c := parse(t, required+"files: [{name: a, purpose: b}]\nevidence: {collected_at: x, test_count: 5}\ntodos: [t, u]\n")
	var got []string
	for _, claim := range c.Claims() {
		got = append(got, fmt.Sprintf("%d %s %s %s", claim.Line, claim.Field, claim.Kind, claim.Text))
	}
	want := []string{
		"2 last_updated last_updated l", "3 fingerprint fingerprint f", "4 scope scope .", "5 summary summary S",
		"7 files[0].name files.name a", "7 files[0].purpose files.purpose b", "6 maintenance maintenance M",
		"9 todos[0] todos t", "9 todos[1] todos u", "8 evidence.collected_at evidence.collected_at x",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFileIsWhollyDerivedIfNobodyWroteAnything(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   false,
		"derived_fields: [summary]\n":        true,
		"derived_fields: [subdirectories]\n": false,
		"todos: [t]\nderived_fields: [summary]\n":                                              false,
		"todos: [t]\nderived_fields: [summary, todos]\n":                                       false, // init cannot refresh it
		"subdirectories: [{name: a, summary: s}]\nderived_fields: [summary, subdirectories]\n": true,
	} {
		if got := parse(t, required+text).IsWhollyDerived(); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
