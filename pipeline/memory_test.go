package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/pipeline"
)

// If pages together are too large, they are in memory one after another, even with many
// jobs.
func TestLargePagesTakeTurns(t *testing.T) {
	sources := t.TempDir()
	for i := range 4 {
		// A single long line takes less time to parse than many paragraphs of the same
		// size.
		page := strings.Repeat(fmt.Sprintf("page %d, ", i), document.MaxSize/2/8+1)
		if err := os.WriteFile(filepath.Join(sources, fmt.Sprintf("%d.md", i)), []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	atWork := map[int]string{}
	_, err := pipeline.Build(t.Context(), pipeline.Config{
		Sources: []pipeline.Mount{{Dir: sources}}, Cache: filepath.Join(t.TempDir(), "cache"), Jobs: 4,
		Observer: func(e pipeline.Event) {
			mu.Lock()
			defer mu.Unlock()
			switch e.Stage {
			case pipeline.Parse:
				atWork[e.Worker] = e.Source
			case pipeline.Write: // the last stage; Done comes once the room is free
				delete(atWork, e.Worker)
			}
			if len(atWork) > 1 {
				t.Errorf("%v are compiled at once", atWork)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}
