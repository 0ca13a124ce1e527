package agent

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestACatalogPrefersNamesToDescriptions(t *testing.T) {
	long := strings.Repeat("word ", 100)
	for _, test := range []struct {
		caches []ServedCache
		room   int
		want   string
	}{
		{nil, 100, ""},
		{[]ServedCache{{"docs", "", ""}}, 100, catalogHeading + "\n- docs"},
		{[]ServedCache{{"api", "The API", ""}, {"docs", "a\nb\u202e", ""}}, 100, catalogHeading + "\n- api: The API\n- docs: a\\nb\\u202e"},
		{[]ServedCache{{"api", long, ""}, {"docs", "Short", ""}}, 200, catalogHeading + "\n- api: " + strings.TrimSpace(long[:100]) + "…\n- docs: Short"},
		{[]ServedCache{{"api", long, ""}, {"docs", "Short", ""}}, 70, catalogHeading + "\n- api\n- docs"},
		{[]ServedCache{{"a", "A", ""}, {strings.Repeat("b", 99), "B", ""}, {"c", "C", ""}}, 120, catalogHeading + "\n- a\n- c\nand 1 more, which context_caches lists"},
		{[]ServedCache{{"a", "", "next@15"}, {"b", "The B", "next@16"}}, 100, catalogHeading + "\n- a (next@15)\n- b (next@16): The B"},
		{[]ServedCache{{"a", "", "next@15"}, {"b", "The B", "next@16"}}, 60, catalogHeading + "\n- a\n- b"},
	} {
		if got := Catalog(test.caches, test.room); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A catalog keeps to its room, and names every cache or says how many it leaves out.
func TestACatalogKeepsToItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		caches := make([]ServedCache, rapid.IntRange(1, 300).Draw(t, "caches"))
		for i := range caches {
			caches[i] = ServedCache{fmt.Sprint("cache-", i), rapid.StringN(0, 60, 1000).Draw(t, "description"), rapid.SampledFrom([]string{"", "next@16.4.6"}).Draw(t, "product")}
		}
		room := rapid.IntRange(200, 2000).Draw(t, "room")
		lines := strings.Split(Catalog(caches, room), "\n")
		if size := len(strings.Join(lines, "\n")); size > room {
			t.Fatalf("got %d bytes, want at most %d", size, room)
		}
		named, left := 0, 0
		for _, line := range lines[1:] {
			if strings.HasPrefix(line, "- cache-") {
				named++
			} else if _, err := fmt.Sscanf(line, "and %d more", &left); err != nil {
				t.Fatalf("got the line %q", line)
			}
		}
		if named+left != len(caches) {
			t.Fatalf("got %d names and %d more, want %d caches", named, left, len(caches))
		}
	})
}
