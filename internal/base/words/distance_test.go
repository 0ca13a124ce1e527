package words

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// slowDistance is the definition of the distance.
func slowDistance(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowDistance(a[1:], b[1:])
	}
	least := min(slowDistance(a[1:], b), slowDistance(a, b[1:]), slowDistance(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, slowDistance(a[2:], b[2:]))
	}
	return 1 + least
}

func TestDistanceCountsEdits(t *testing.T) {
	word := rapid.StringMatching("[abc]{0,6}")
	rapid.Check(t, func(t *rapid.T) {
		a, b, most := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(0, 7).Draw(t, "most")
		if got, want := Distance(a, b, most), min(slowDistance(a, b), most+1); got != want {
			t.Errorf("from %q to %q, at most %d: got %d, want %d", a, b, most, got, want)
		}
	})
}

func TestNearestAreAFewEditsAway(t *testing.T) {
	names := []string{"description", "sources", "output", "selection", "put", "at"}
	for wanted, want := range map[string][]string{
		"ouput": {"output", "put"}, "source": {"sources"}, "output": {"output"}, "": nil, "else": nil, "desription": {"description"}, "ta": {"at"},
		"puput": {"put", "output"}, "ouuput": {"output"},
	} {
		if got := Nearest(wanted, names); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", wanted, got, want)
		}
	}
}
