package console

import (
	"bytes"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// roles are the styles of the pieces of an answer's lines.
var roles = map[agent.PieceRole]Style{agent.Handle: Handle, agent.Number: Handle, agent.Place: Place}

// diffs are the styles of lines in a diff.
var diffs = map[byte]Style{'+': Good, '-': Bad, '@': Handle}

// A painter prints an answer with colours.
type painter struct {
	out  bytes.Buffer
	find agent.Finder
	fit  func(text []byte) []byte // escapes control characters
}

// PaintAnswer returns the Markdown of an answer with colours. Because colours end with each line,
// any part of it looks right. Texts of pages lose the first characters of escape sequences, which
// would mix with the colours, and for a terminal all control characters.
func PaintAnswer(a *agent.Answer, forTerminal bool) []byte {
	p := painter{find: a.Finder(), fit: withoutSequences}
	if forTerminal {
		p.fit = Fit
	}
	for _, part := range a.Parts {
		p.out.WriteString(strings.Repeat("  ", part.Level))
		for _, piece := range part.Line {
			if piece.Role == agent.Quoted {
				p.matches([]byte(piece.Text))
			} else {
				p.out.WriteString(roles[piece.Role].Paint(piece.Text))
			}
		}
		p.out.WriteByte('\n')
		if part.Text != nil {
			p.text(part.Text)
		}
	}
	return p.out.Bytes()
}

func (p *painter) text(t *agent.PageText) {
	n := 0
	for line := range bytes.Lines(t.Printed()) {
		line = p.fit(line)
		body := withoutEnd(line)
		style := Style("")
		if n < len(t.Diff) {
			style = diffs[t.Diff[n].Kind]
		}
		if n++; style == "" {
			p.matches(body)
		} else {
			p.out.WriteString(style.Paint(string(body)))
		}
		p.out.Write(line[len(body):])
	}
}

// matches prints a line of a page with its matches.
func (p *painter) matches(line []byte) {
	end := 0
	for _, at := range p.find(line) {
		p.out.Write(line[end:at[0]])
		p.out.WriteString(Match.Paint(string(line[at[0]:at[1]])))
		end = at[1]
	}
	p.out.Write(line[end:])
}

func withoutEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

func withoutSequences(text []byte) []byte {
	return beginsSequence().ReplaceAllFunc(text, func(c []byte) []byte { return []byte(words.Printable(string(c))) })
}

// beginsSequence matches the possible first characters of control sequences.
var beginsSequence = lazy.Regexp(`[\x1b\x{80}-\x{9f}]`)
