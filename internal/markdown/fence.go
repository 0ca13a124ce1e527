package markdown

import "bytes"

// FenceOf returns the marks with which a line opens a code block, nil if it opens none.
// The line has no indentation.
func FenceOf(line []byte) []byte {
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	marks := line[:runOf(line)]
	if len(marks) < 3 || marks[0] == '`' && bytes.IndexByte(line[len(marks):], '`') >= 0 {
		return nil
	}
	return marks
}

// ClosesFence reports whether a line without indentation closes the code block that a
// fence opened.
func ClosesFence(line, fence []byte) bool {
	return bytes.HasPrefix(line, fence) && isBlank(line[runOf(line):])
}

// runOf returns how often a text repeats its first byte at its beginning.
func runOf(text []byte) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// afterMarkers returns a line without the indentation, the quotation marks and the list
// markers that lead it.
func afterMarkers(line []byte) []byte { return bytes.TrimLeft(line, " \t>-*+.)0123456789") }
