package agent

import (
	"cmp"
	"context"
	"io"
	"math"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/pages/changes"
)

// A diffSide is a cache in the JSON of a diff.
type diffSide struct {
	Name         string           `json:"name,omitzero"`
	CacheVersion document.Version `json:"cache_version"`
	Documents    int              `json:"document_count"`
}

// pageCounters count the pages by what happened to them.
type pageCounters struct {
	Added     int `json:"added"`
	Removed   int `json:"removed"`
	Renamed   int `json:"renamed"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// A pageReport is a page that differs.
type pageReport struct {
	Change     string       `json:"change"` // added, removed, renamed or changed
	From       *pageVersion `json:"from,omitzero"`
	To         *pageVersion `json:"to,omitzero"`
	Similarity int          `json:"similarity,omitzero"` // percent, if a renamed page also changed
	Parts      []partReport `json:"parts"`
}

type pageVersion struct {
	ID      document.ID      `json:"id"`
	Version document.Version `json:"version"`
	Title   string           `json:"title"`
	Tokens  int              `json:"tokens"`
}

// A partReport is a part of a page that differs.
type partReport struct {
	Change       changes.ChangeKind `json:"change"`
	Headings     []string           `json:"headings"`
	Anchor       string             `json:"anchor,omitzero"`
	FrontMatter  bool               `json:"front_matter,omitzero"`
	FromLines    []int              `json:"from_lines,omitzero"` // the first and the last
	ToLines      []int              `json:"to_lines,omitzero"`
	AddedLines   int                `json:"added_lines"`
	RemovedLines int                `json:"removed_lines"`
	Diff         *string            `json:"diff"` // null if the versions are too different
}

// WriteJSON writes all changes as JSON. With a budget, it leaves out the changes that don't fit,
// and counts them.
func (d *DiffResult) WriteJSON(ctx context.Context, out io.Writer) error {
	room := math.MaxInt
	if d.request.Budget > 0 {
		room = 4 * min(d.request.Budget, math.MaxInt/4)
	}
	from, err1 := sideOf(d.old)
	to, err2 := sideOf(d.new)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	e := new(wire.Encoder)
	e.StreamTo(out)
	e.BeginObject()
	e.Key("from")
	e.Value(from)
	e.Key("to")
	e.Value(to)
	e.Key("pages")
	e.Value(d.counters())
	e.Key("changes")
	e.BeginArray()
	leftOut := 0
	const fields, ofNumber = `{"from":,"to":,"pages":,"changes":[],"left_out":}`, 20
	room -= len(fields) + ofNumber + len(wire.Marshal(from)) + len(wire.Marshal(to)) + len(wire.Marshal(d.counters()))
	for _, p := range d.pages {
		report, err := d.reportOf(ctx, p)
		if err != nil {
			return err
		}
		if d.request.Budget > 0 {
			size := len(wire.Marshal(report)) + 1
			if size > room {
				leftOut++
				continue
			}
			room -= size
		}
		e.Value(report)
		if err := cmp.Or(e.Err(), context.Cause(ctx)); err != nil {
			return err
		}
	}
	e.EndArray()
	e.Key("left_out")
	e.Int(int64(leftOut))
	e.EndObject()
	e.Newline()
	return e.Close()
}

func sideOf(of answers.Member) (diffSide, error) {
	pages, _, err := of.Size()
	return diffSide{strings.ToValidUTF8(of.Name, "\uFFFD"), of.Version(), pages}, err
}

func (d *DiffResult) counters() (n pageCounters) {
	n.Unchanged = d.equal
	for _, p := range d.pages {
		*map[string]*int{"added": &n.Added, "removed": &n.Removed, "renamed": &n.Renamed, "changed": &n.Changed}[p.kind()]++
	}
	return n
}

func (d *DiffResult) reportOf(ctx context.Context, p changedPage) (r pageReport, err error) {
	r = pageReport{Change: p.kind(), Similarity: p.share, Parts: []partReport{}}
	t, err := d.textsOf(ctx, p)
	if err != nil {
		return r, err
	}
	if !p.IsAdded() {
		r.From = t.old.versionOf(p.Old)
	}
	if !p.IsRemoved() {
		r.To = t.new.versionOf(p.New)
	}
	if p.IsAdded() || p.IsRemoved() {
		return r, nil
	}
	for _, part := range t.parts {
		r.Parts = append(r.Parts, t.reportOf(part))
	}
	return r, nil
}

func (p cachePage) versionOf(ref answers.PageRef) *pageVersion {
	return &pageVersion{ref.ID, ref.Version, p.title(), tokensOf(len(p.doc.Content))}
}

func (t pageTexts) reportOf(part partDiff) partReport {
	at := part.at()
	r := partReport{
		Change: part.Kind, Headings: at.Headings, Anchor: at.Anchor, FrontMatter: at.IsFrontMatter,
		AddedLines: part.added, RemovedLines: part.removed,
	}
	if part.Kind != changes.PartAdded {
		lines := t.old.lines(part.Old.Start, part.Old.End)
		r.FromLines = []int{lines.First, lines.Last}
	}
	if part.Kind != changes.PartRemoved {
		lines := t.new.lines(part.New.Start, part.New.End)
		r.ToLines = []int{lines.First, lines.Last}
	}
	if part.IsExact {
		var lines []DiffLine
		for _, e := range t.edits(part) {
			lines = append(lines, e.all()...)
		}
		r.Diff = new(contentOf(lines))
	}
	return r
}
