package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// writeProject makes a project of n directories with five files of 4 kB each. The
// fingerprints of its contexts cover either times or contents.
func writeProject(b *testing.B, n int, content bool) (root string) {
	b.Helper()
	root = b.TempDir()
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	text := "package p\n" + strings.Repeat("// A line of a comment.\n", 170)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("group%02d", i%50), fmt.Sprintf("dir%04d", i))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			b.Fatal(err)
		}
		for j := range 5 {
			write(filepath.Join(dir, fmt.Sprintf("file%d.go", j)), text)
		}
	}
	p, err := dotcontext.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	changes, err := p.Init(b.Context(), dotcontext.WriteOptions{LastUpdated: "2026-01-01T00:00:00Z", Content: content})
	if err != nil || changes.Err() != nil {
		b.Fatal(err, changes.Err())
	}
	return root
}

// BenchmarkContexts measures list_contexts and check_freshness, for the first answer of
// a server and for later ones.
func BenchmarkContexts(b *testing.B) {
	list := func(b *testing.B, memory *dotcontext.Memory, root string, n int) {
		answer, err := dotcontext.List(b.Context(), memory, root)
		if err != nil || strings.Count(answer.JSON, `"state": "fresh"`) < n {
			b.Fatal(err, answer.Err)
		}
	}
	for _, n := range []int{100, 5_000} {
		for _, form := range []string{"stat", "content"} {
			root := writeProject(b, n, form == "content")
			name := fmt.Sprintf("directories=%d/form=%s", n, form)
			b.Run("call=first/"+name, func(b *testing.B) {
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					list(b, dotcontext.NewMemory(time.Now), root, n)
				}
			})
			b.Run("call=list/"+name, func(b *testing.B) {
				memory := dotcontext.NewMemory(time.Now)
				list(b, memory, root, n)
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					list(b, memory, root, n)
				}
			})
			b.Run("call=check/"+name, func(b *testing.B) {
				memory := dotcontext.NewMemory(time.Now)
				b.ReportAllocs()
				defer reportCPU(b)()
				for b.Loop() {
					answer, err := dotcontext.Check(b.Context(), memory, root, "group07/dir0057")
					if err != nil || !strings.Contains(answer.JSON, `"state": "fresh"`) {
						b.Fatal(err, answer.JSON)
					}
				}
			})
		}
	}
}
