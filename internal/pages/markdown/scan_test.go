package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// mostScans is the maximum number of scans of a kind to read the same byte. No two of them are at
// the same depth with the same quote open, or none, hence 3 times 9.
const mostScans = 27

func TestScansForTheEndOfMarkupAreLinear(t *testing.T) {
	for _, unit := range []string{"<a {", "<a {\n", "<a '", "<a \"{'", "<a {}", "<a {\"", "<a }", "[](", "[][", "[](()", "](("} {
		checkScans(t, strings.Repeat(unit, 10_000))
	}
	marks := []string{"<a ", "<b ", "{", "}", "'", "\"", ">", "\n", "[](", "[][", "(", ")", "[", "]", "word "}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SliceOfN(rapid.SampledFrom(marks), 1, 40).Draw(t, "unit")
		checkScans(t, strings.Repeat(strings.Join(unit, ""), 40))
	})
}

// checkScans fails the test if unsuccessful scans of a page read too many bytes. Only such scans
// overlap.
func checkScans(t rapid.TB, page string) {
	t.Helper()
	looked := 0
	for at := range page {
		rest := []byte(page[at:min(len(page), at+longestMarkup)])
		if rest[0] == '<' {
			if n, ends := tagEnd(rest); !ends {
				looked += n
			}
		}
		if n, ends := destinationEnd(rest); !ends && at > 0 && page[at-1] == ']' {
			looked += n
		}
	}
	if looked > 2*mostScans*len(page) {
		t.Fatalf("looked at %d bytes of %d of %.60q", looked, len(page), page)
	}
}
