package sections

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/markdown"
)

// This file finds sentences by their lines and their marks. It doesn't need to be exact,
// because a sentence that is cut wrongly only ranks a little higher or lower.

// A sentence is a sentence of a paragraph or of a list item, a heading, a table row or
// a line of code.
type sentence struct {
	text      []byte
	isHeading bool
}

// sentences returns the sentences of a section in order. Together they are all of its
// text.
func (s Section) sentences() iter.Seq[sentence] {
	return func(yield func(sentence) bool) {
		c := sentenceCutter{text: s.Text, fence: s.Fence, yield: yield}
		for c.at < len(c.text) && !c.isDone {
			c.line(c.at + lineLength(c.text[c.at:]))
		}
		c.end(len(c.text), false)
	}
}

// lineLength returns the length of the first line of a text, including its line end.
func lineLength(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// A sentenceCutter cuts a text into sentences, line by line.
type sentenceCutter struct {
	text   []byte
	start  int // of the current sentence
	at     int // where the current line begins
	fence  markdown.Fence
	yield  func(sentence) bool
	isDone bool // yield wants no more
}

// end ends the current sentence at an offset, unless it is empty.
func (c *sentenceCutter) end(offset int, isHeading bool) {
	if c.start < offset && !c.isDone {
		c.isDone = !c.yield(sentence{c.text[c.start:offset], isHeading})
	}
	c.start = offset
}

// line reads the current line, which ends at an offset.
func (c *sentenceCutter) line(end int) {
	line := bytes.TrimLeft(c.text[c.at:end], " \t>")
	isHeading := false
	switch {
	case c.fence.Read(line): // a sentence by itself
	case len(bytes.TrimSpace(line)) == 0:
		c.end(c.at, false)
		c.at = end
		return
	case line[0] == '#':
		isHeading = true
	case line[0] != '|':
		if beginsItem(line) {
			c.end(c.at, false)
		}
		c.prose(end)
		return
	}
	c.end(c.at, false)
	c.end(end, isHeading)
	c.at = end
}

// prose ends the sentences in the current line, which is a part of a paragraph.
func (c *sentenceCutter) prose(end int) {
	last := c.at + len(bytes.TrimRight(c.text[c.at:end], " \t\r\n"))
	for i := c.at; i < last && !c.isDone; i++ {
		switch mark := c.text[i]; mark {
		case '.', '?', '!', ':':
			switch next := i + 1; {
			case next == last:
				c.end(end, false)
			case mark != ':' && endsSentence(c.text[next:last]):
				c.end(next, false)
			}
		}
	}
	c.at = end
}

// endsSentence reports whether a mark before the rest of a line ends a sentence. It must
// be between words, because terms are found in each sentence by itself. An abbreviation,
// such as e.g. this one, ends none: a small letter follows.
func endsSentence(rest []byte) bool {
	if rest[0] != ' ' {
		return false
	}
	next, _ := utf8.DecodeRune(rest[1:])
	return !unicode.IsLower(next)
}

// beginsItem reports whether a line begins an item of a list.
func beginsItem(line []byte) bool {
	digits := 0
	for digits < min(9, len(line)) && '0' <= line[digits] && line[digits] <= '9' {
		digits++
	}
	marks := ".)"
	if digits == 0 {
		marks = "-*+"
	}
	rest := line[digits:]
	return len(rest) > 1 && bytes.IndexByte([]byte(marks), rest[0]) >= 0 && rest[1] == ' '
}
