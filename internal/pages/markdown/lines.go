package markdown

import (
	"bytes"
	"strings"

	"github.com/contextcompiler/context/document"
)

func lineStart(text []byte, at int) int {
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// lineEnd returns the offset after the line feed of the line at an offset.
func lineEnd(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

func firstLine(text []byte) []byte { return text[:lineEnd(text, 0)] }

// IndentOf returns the indentation of a line in columns.
func IndentOf(line string) (columns int) {
	for _, b := range []byte(line) {
		switch b {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// blank writes spaces over a part of a text, but not over its line ends.
func blank(part []byte) {
	for i, b := range part {
		if b != '\n' && b != '\r' {
			part[i] = ' '
		}
	}
}

// appendRange appends a range, or extends the last one if it ends there.
func appendRange(ranges []document.Range, start, end int) []document.Range {
	if last := len(ranges) - 1; last >= 0 && ranges[last].End == start {
		ranges[last].End = end
		return ranges
	}
	return append(ranges, document.Range{Start: start, End: end})
}

// paragraphEnd returns where the next blank line or code block begins, after the line at an
// offset.
func paragraphEnd(text []byte, at int) int {
	at = lineEnd(text, at)
	for at < len(text) {
		end := lineEnd(text, at)
		if line := text[at:end]; isBlank(line) || FenceOf(afterMarkers(line)).IsOpen() {
			break
		}
		at = end
	}
	return at
}

// afterMarkers returns a line without leading indentation, quotation marks and list
// markers.
func afterMarkers(line []byte) []byte { return bytes.TrimLeft(line, " \t>-*+.)0123456789") }

// itemMark returns the size of a list marker and its space at the beginning of a line
// without indentation, or 0 if the line begins no item.
func itemMark(line []byte) int {
	digits := 0
	for digits < min(9, len(line)) && '0' <= line[digits] && line[digits] <= '9' {
		digits++
	}
	marks := ".)"
	if digits == 0 {
		marks = "-*+"
	}
	rest := line[digits:]
	if len(rest) > 1 && strings.IndexByte(marks, rest[0]) >= 0 && rest[1] == ' ' {
		return digits + 2
	}
	return 0
}

// runOf returns how many times a text repeats its first byte at the start.
func runOf(text []byte) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}
