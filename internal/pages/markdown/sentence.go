package markdown

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"
)

// This file splits text into sentences by lines and punctuation. It doesn't need to be
// exact, because a wrong split only changes the rank of a section a little. However,
// indexes depend on it, so it must not change.

// A Sentence is a sentence of a paragraph or list item, a heading, a table row or a line of
// code.
type Sentence struct {
	Text      []byte
	IsHeading bool
}

// Sentences returns the sentences of a text in order. If the fence is open, the text begins
// in code. Joined together, the sentences are the whole text.
func Sentences(text []byte, fence Fence) iter.Seq[Sentence] {
	return func(yield func(Sentence) bool) {
		c := sentenceCutter{text: text, fence: fence, yield: yield}
		for c.at < len(c.text) && !c.isDone {
			c.line(lineEnd(c.text, c.at))
		}
		c.end(len(c.text), false)
	}
}

type sentenceCutter struct {
	text   []byte
	start  int // of the current sentence
	at     int // where the current line begins
	fence  Fence
	yield  func(Sentence) bool
	isDone bool // yield has returned false
}

// end ends the current sentence at an offset, unless it is empty.
func (c *sentenceCutter) end(offset int, isHeading bool) {
	if c.start < offset && !c.isDone {
		c.isDone = !c.yield(Sentence{c.text[c.start:offset], isHeading})
	}
	c.start = offset
}

// line reads the current line, which ends at an offset.
func (c *sentenceCutter) line(end int) {
	line := c.text[c.at:end]
	line = bytes.TrimLeft(line, " \t>")
	isHeading := false
	switch {
	case c.fence.Read(line): // each line is a separate sentence
	case len(bytes.TrimSpace(line)) == 0:
		c.end(c.at, false)
		c.at = end
		return
	case line[0] == '#':
		isHeading = true
	case line[0] != '|':
		if itemMark(line) > 0 {
			c.end(c.at, false)
		}
		c.prose(end)
		return
	}
	c.end(c.at, false)
	c.end(end, isHeading)
	c.at = end
}

// prose ends the sentences within the current line of a paragraph.
func (c *sentenceCutter) prose(end int) {
	last := c.at + len(bytes.TrimRight(c.text[c.at:end], " \t\r\n"))
	for next := c.at; next < last && !c.isDone; {
		mark := bytes.IndexAny(c.text[next:last], ".?!:") // a colon only ends the line
		if mark < 0 {
			break
		}
		next += mark + 1
		switch {
		case next == last:
			c.end(end, false)
		case c.text[next-1] != ':' && endsSentence(c.text[next:last]):
			c.end(next, false)
		}
	}
	c.at = end
}

// endsSentence reports whether a punctuation mark ends a sentence, given the rest of its
// line. The mark must be between words, because each sentence is searched for terms
// separately. An abbreviation such as e.g. doesn't end a sentence if a lower-case letter
// follows.
func endsSentence(rest []byte) bool {
	if rest[0] != ' ' {
		return false
	}
	next, _ := utf8.DecodeRune(rest[1:])
	return !unicode.IsLower(next)
}
