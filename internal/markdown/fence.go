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
