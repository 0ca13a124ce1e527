package mcp

import (
	"bufio"
	"errors"
	"io"
)

// maxLine is the maximum size of a message in bytes.
const maxLine = 1 << 20

// errLineTooLong is the error for a line longer than maxLine. The next call of readLine returns the
// next line.
var errLineTooLong = errors.New("the message is larger than 1 MiB")

// readLine returns the next line without its line end. The last line doesn't need a line feed.
// readLine never keeps more than maxLine bytes and a buffer in memory.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
		}
		if len(line) > maxLine+len("\r\n") {
			line, tooLong = nil, true
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(line) > 0 || tooLong):
			err = nil // the end comes with the next call
		}
		line = trimLineEnd(line)
		if err == nil && (tooLong || len(line) > maxLine) {
			err = errLineTooLong
		}
		return line, err
	}
}

func trimLineEnd(line []byte) []byte {
	n := len(line)
	if n > 0 && line[n-1] == '\n' {
		n--
		if n > 0 && line[n-1] == '\r' {
			n--
		}
	}
	return line[:n]
}
