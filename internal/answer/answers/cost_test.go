package answers_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/child"
	"github.com/contextcompiler/context/selection"
)

// A process that answers a single question should pay for what the question is about, and
// hardly for other pages: 2 bytes for each of their sections, a bit that says whether it is a
// hit, and a few more blocks, for example of the dictionary.
func TestAFirstQuestionCostsLittleMoreInALargerCache(t *testing.T) {
	if child.RaceDetector {
		t.Skip("the race detector drops pooled memory at random")
	}
	const few, many, mostBytes = 500, 4500, 13
	request := selection.Request{Query: parseQueries(t, []string{"how to rotate keys"})[0], Budget: 1000}
	costs := map[int]uint64{}
	for _, pages := range []int{few, many} {
		dir, path := t.TempDir(), filepath.Join(t.TempDir(), "cache")
		for i := range pages { // a page is a single section
			text := fmt.Sprintf("# Page %d\n\nPlain words fill this page.\n", i)
			if i < 10 {
				text += "\nRotate the keys daily.\n"
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page%d.md", i)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		build(t, dir, path, selection.Spec1)
		costs[pages] = costOf(t, path, request)
	}
	if most := costs[few] + (many-few)*mostBytes; costs[many] > most {
		t.Errorf("got %d and %d bytes of memory for %d and %d pages, want at most %d", costs[few], costs[many], few, many, most)
	}
}

// costOf returns the bytes of memory that opening a cache and answering a question takes.
func costOf(t *testing.T, path string, request selection.Request) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 { // pools can be empty
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := answers.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Resolve(t.Context(), request, io.Discard); err != nil {
			t.Fatal(err)
		}
		c.Close()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
