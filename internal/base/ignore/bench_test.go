package ignore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/ignore"
)

// usual is a typical ignore file of a repository.
const usual = `# dependencies and builds
node_modules/
/dist
/build/
*.log
*.tmp
!important.log
.DS_Store
docs/**/generated
**/fixtures/*.snap
[Tt]humbs.db
`

func BenchmarkMatch(b *testing.B) {
	for _, path := range []string{"docs/guide/install/linux.md", "docs/guide/install.log"} {
		for _, files := range []int{1, 10} {
			b.Run(fmt.Sprintf("path=%s/files=%d", path[strings.LastIndex(path, "/")+1:], files), func(b *testing.B) {
				rules := ignore.Rules{}.With(".", []byte(strings.Repeat(usual, files)))
				b.ReportAllocs()
				for b.Loop() {
					rules.Match(path, false)
				}
			})
		}
	}
}

func BenchmarkWith(b *testing.B) {
	text := []byte(usual)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		ignore.Rules{}.With("docs", text)
	}
}

// BenchmarkWalk goes down 5,000 directories, each with its own ignore file.
func BenchmarkWalk(b *testing.B) {
	const width, depth = 100, 50
	text := []byte(usual)
	b.ReportAllocs()
	for b.Loop() {
		for i := range width {
			dir := fmt.Sprintf("dir%d", i)
			rules := ignore.Rules{}.With(".", text)
			for range depth {
				rules = rules.With(dir, text)
				dir += "/sub"
				rules.Match(dir, true)
			}
		}
	}
}
