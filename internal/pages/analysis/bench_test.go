package analysis_test

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/pages/analysis"
)

func BenchmarkAppend(b *testing.B) {
	for name, text := range map[string]string{
		"prose": "The compiler turns a directory of Markdown files into a cache, whose bytes are the same on every machine.\nIt doesn't ask for anything else: no network, no clock and no configuration.\n",
		"code":  "func (a *Analyzer) appendTerms(dst *Terms, max_tokens int) error {\n\treturn fmt.Errorf(\"analysis: %w\", os.ErrNotExist) // HTTPServer v1.2.3\n}\n",
		"latin": "Der Übersetzer macht aus Verzeichnissen Zwischenspeicher, die für größere Mengen überall gleich sind.\n",
		"cjk":   "编译器把目录中的文档编译成缓存，每台机器上的字节都相同。日本語の文章とカタカナ、ひらがな。한국어 문서를 컴파일한다.\n",
	} {
		b.Run("text="+name, func(b *testing.B) {
			text := []byte(strings.Repeat(text, 64<<10/len(text)))
			a := analysis.New()
			var terms analysis.Terms
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				terms.Reset()
				a.Append(&terms, text)
			}
			b.ReportMetric(float64(terms.Len())/float64(len(text)), "terms/B")
		})
	}
}
