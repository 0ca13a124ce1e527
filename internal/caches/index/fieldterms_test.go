package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
)

func TestFieldsAreTheValuesOfFrontMatterAndTheirElements(t *testing.T) {
	m := document.Metadata{
		"byte_size": document.Number(9), "line_count": document.Number(1), "Draft": document.Text("False"), "weight": document.Number(-3),
		"tags": document.Text("Go, CLI, go, Go"), "Tags": document.Text("cli"), "empty": document.Text(""), "\x01tinstall": document.Text("x"), "description": document.Text(strings.Repeat("x", 65)),
	}
	want := []string{" draft=false", " tags=cli", " empty=", " tags=go, cli, go, go", " tags=go", " weight=-3"}
	if got := index.FieldTerms(m); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := index.FieldTerm("TAGS=cli"); got != " tags=cli" {
		t.Errorf("got %q", got)
	}
}

// Front matter of a megabyte can have so many fields. Comparing each with all others took 20 s.
func TestAPageCanHaveManyFields(t *testing.T) {
	m := document.Metadata{}
	for i := range 80_000 {
		m[fmt.Sprint("a", i)] = document.Number(1)
	}
	if got := index.FieldTerms(m); len(got) != len(m) {
		t.Errorf("got %d terms of %d fields", len(got), len(m))
	}
}
