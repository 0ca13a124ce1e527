package agent

import (
	"context"
	"iter"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/sections"
	"github.com/contextcompiler/context/resolve"
)

// confidenceOf returns the confidence in the best hits of a ranking.
func (l *library) confidenceOf(ctx context.Context, ranked *resolve.Ranked, hits iter.Seq2[resolve.Hit, error]) (resolve.Confidence, error) {
	return ranked.Confidence(ctx, hits, func(hit resolve.Hit) (document.Document, []sections.Section, error) {
		p, err := l.pageOf(ctx, hit)
		return p.doc, p.parts, err
	})
}

// weakness says what a weak match lacks, and which words to try instead. It is "" for one
// that isn't weak.
func weakness(c resolve.Confidence) string {
	if !c.IsWeak {
		return ""
	}
	note := "weak match"
	if len(c.Lacks) > 0 {
		note += ": the best section lacks " + few(quoted(c.Lacks), mostMissing, "other word")
	}
	if len(c.Try) > 0 {
		note += "; words to try: " + strings.Join(quoted(c.Try), ", ")
	}
	return note
}

func quoted(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = quote(word)
	}
	return all
}
