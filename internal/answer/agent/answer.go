package agent

import (
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// An Answer is what a request returns, part by part: our own lines, and texts of pages between
// marks. [Answer.Markdown] prints it for agents. Programs print the same parts for people.
type Answer struct {
	Parts   []AnswerPart
	LeftOut []AnswerPart  // of Ask, if asked for: the best sections that are not in the answer, as HitParts
	finder  func() Finder // of what was asked for; may be nil
}

// A Finder finds what to emphasize in a text of a page. It returns ranges of bytes in order.
type Finder func(text []byte) [][]int

// Finder returns the Finder for Quoted pieces and texts of the answer.
func (a *Answer) Finder() Finder {
	if a.finder == nil {
		return func([]byte) [][]int { return nil }
	}
	return a.finder()
}

// An AnswerPart is a line, or a text below a line about it.
type AnswerPart struct {
	Kind      AnswerKind
	Line      AnswerLine // without its indentation
	Level     int        // of indentation, from 0
	Reference string     // what Read takes for it; "" if there is nothing to read
	Path      string     // of a PagePart: its ID without the name of the cache
	Label     string     // what the part is about: the title of a page, headings, or the note in the line of a mark; perhaps ""
	Tokens    int        // of a cache, page, section or heading
	Share     int        // of a HitPart: percent of the best score
	Reason    string     // why a section is left out
	Text      *PageText  // of a TextPart
}

// An AnswerKind says what a part is.
type AnswerKind string

// The kinds of parts.
const (
	NotePart      AnswerKind = "note"      // a sentence about the answer
	DoubtPart     AnswerKind = "doubt"     // a sentence on why not to trust the answer
	CachePart     AnswerKind = "cache"     // a cache, before its pages in an outline
	PagePart      AnswerKind = "page"      // a page
	HitPart       AnswerKind = "hit"       // a section that matches
	QuotePart     AnswerKind = "quote"     // a sentence of the section before
	SharedPart    AnswerKind = "shared"    // the directory of all pages, which their Reference contains anyway
	HeadingPart   AnswerKind = "heading"   // a heading in an outline
	DirectoryPart AnswerKind = "directory" // a directory whose pages an outline leaves out
	BeginPart     AnswerKind = "begin"     // the mark before the first text
	TextPart      AnswerKind = "text"      // a text of a page
	EndPart       AnswerKind = "end"       // the mark after the last text
)

// An AnswerLine is a line of an answer, in pieces.
type AnswerLine []AnswerPiece

// An AnswerPiece is a part of a line.
type AnswerPiece struct {
	Text string
	Role PieceRole
}

// A PieceRole says what a piece is.
type PieceRole int

// The roles of pieces.
const (
	Plain  PieceRole = iota
	Handle           // what Read takes
	Place            // where the following text is
	Number           // of a line
	Quoted           // text of a page, which can contain matches
)

// String returns the line as printed.
func (l AnswerLine) String() string {
	var b strings.Builder
	for _, p := range l {
		b.WriteString(p.Text)
	}
	return b.String()
}

// lineOf returns a line in which the arguments, which are texts, pieces or lines, replace each %s.
func lineOf(format string, args ...any) AnswerLine {
	l := make(AnswerLine, 0, 1+2*len(args))
	for i, text := range strings.Split(format, "%s") {
		if i > 0 {
			switch arg := args[i-1].(type) {
			case AnswerLine:
				l = append(l, arg...)
			case AnswerPiece:
				l = append(l, arg)
			default:
				l = append(l, AnswerPiece{Text: fmt.Sprint(arg)})
			}
		}
		if text != "" {
			l = append(l, AnswerPiece{Text: text})
		}
	}
	return l
}

// joined joins lines to a single line.
func joined(lines []AnswerLine, between string) (all AnswerLine) {
	for i, l := range lines {
		if i > 0 {
			all = append(all, AnswerPiece{Text: between})
		}
		all = append(all, l...)
	}
	return all
}

// note adds a line about the answer.
func (a *Answer) note(format string, args ...any) { a.add(NotePart, 0, fmt.Sprintf(format, args...)) }

// line adds a line about the answer in which the arguments replace each %s; see lineOf.
func (a *Answer) line(format string, args ...any) {
	a.part(AnswerPart{Kind: NotePart, Line: lineOf(format, args...)})
}

// add adds a line of a kind.
func (a *Answer) add(kind AnswerKind, level int, text string) {
	a.part(AnswerPart{Kind: kind, Level: level, Line: lineOf("%s", text)})
}

// part adds a part. Its line gets no control characters, so a name can never start a new line.
func (a *Answer) part(p AnswerPart) {
	for i := range p.Line {
		p.Line[i].Text = words.Printable(p.Line[i].Text)
	}
	if isMark := p.Kind == BeginPart || p.Kind == TextPart || p.Kind == EndPart; !isMark && p.Level == 0 && len(p.Line) > 0 {
		p.Line[0].Text = withoutMark(p.Line[0].Text)
	}
	p.Label = words.Printable(markdown.WithoutAnchor(p.Label))
	a.Parts = append(a.Parts, p)
}

func (a *Answer) parts(parts []AnswerPart) {
	for _, p := range parts {
		a.part(p)
	}
}

// append adds the parts of another answer.
func (a *Answer) append(other *Answer) { a.Parts = append(a.Parts, other.Parts...) }

// Markdown prints the answer for agents, or returns nil for a nil answer.
func (a *Answer) Markdown() []byte {
	if a == nil {
		return nil
	}
	var out []byte
	for _, p := range a.Parts {
		out = p.appendTo(out)
	}
	return out
}

const indent = "  "

func (p AnswerPart) appendTo(out []byte) []byte {
	out = append(out, strings.Repeat(indent, p.Level)...)
	for _, piece := range p.Line {
		out = append(out, piece.Text...)
	}
	out = append(out, '\n')
	if p.Text != nil {
		out = append(out, p.Text.Printed()...)
	}
	return out
}

// size returns the size of the answer in Markdown.
func (a *Answer) size() int { return len(a.Markdown()) }

func (p AnswerPart) size() int { return len(p.appendTo(nil)) }

// Markdown returns the Markdown of what a request returned. A failed answer may still contain
// texts.
func Markdown(a *Answer, err error) ([]byte, error) { return a.Markdown(), err }

// oneLine returns a text as a line outside of a frame: without control characters, and escaped
// if it looks like a mark, which names could imitate.
func oneLine(text string) string { return withoutMark(words.Printable(text)) }

func withoutMark(line string) string {
	if strings.HasPrefix(line, markPrefix) {
		return `\x3d` + line[1:]
	}
	return line
}
