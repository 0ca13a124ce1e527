package markdown

import "bytes"

// A Fence follows fenced code through the lines of a text. It consists of the opening marks of the
// current code, and is nil outside of code.
type Fence []byte

// FenceOf returns the fence after a line, which is open if the line opens fenced code. The
// line has no indentation.
func FenceOf(line []byte) Fence {
	if len(line) == 0 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	marks := line[:runOf(line)]
	if len(marks) < 3 || marks[0] == '`' && bytes.IndexByte(line[len(marks):], '`') >= 0 {
		return nil
	}
	return marks
}

// IsOpen reports whether the next line is in fenced code.
func (f Fence) IsOpen() bool { return f != nil }

// Read reads the next line, without its indentation, and reports whether it belongs to
// fenced code. Both fences do.
func (f *Fence) Read(line []byte) (isCode bool) {
	if *f == nil {
		*f = FenceOf(line)
		return f.IsOpen()
	}
	if bytes.HasPrefix(line, *f) && isBlank(line[runOf(line):]) {
		*f = nil
	}
	return true
}
