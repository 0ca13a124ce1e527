package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/index"
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
