package review

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/author/web"
)

var (
	//go:embed report.html
	pageText string
	//go:embed report.css
	ownStyle string
)

// page is parsed for the first report, because other commands don't need it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(web.Functions).Parse(pageText))
})

// An AuthorReport is about the caches of a project.
type AuthorReport []CacheFacts

// Render writes the report as an HTML document, which loads nothing, runs nothing, and contains the
// texts of pages and questions only as text.
func (r AuthorReport) Render(w io.Writer) error {
	style := web.BaseStyle + ownStyle
	hash := sha256.Sum256([]byte(style))
	shown := struct {
		Caches []shownCache
		Style  template.CSS
		Hash   string
	}{nil, template.CSS(style), base64.StdEncoding.EncodeToString(hash[:])}
	for i, f := range r {
		shown.Caches = append(shown.Caches, shownCache{f, fmt.Sprint("c", i+1)})
	}
	return page().Execute(w, shown)
}

// A shownCache has an anchor, because names can contain anything.
type shownCache struct {
	CacheFacts
	Anchor string
}

// Rows returns the measures of a check.
func (f CheckFacts) Rows() []evaluation.MeasureRow { return f.Report.Rows(f.Bounds()) }

// IsLow reports whether the table shows why the check fails.
func (f CheckFacts) IsLow() bool {
	return f.Report != nil && slices.ContainsFunc(f.Rows(), func(r evaluation.MeasureRow) bool { return r.IsLow })
}

// Failed returns the number of checks that fail.
func (f CacheFacts) Failed() (n int) {
	for _, c := range f.Checks {
		if c.Err != nil {
			n++
		}
	}
	return n
}

// First returns how many pages of an answer count as reached.
func (f CacheFacts) First() int { return firstPages }
