package mcp

import (
	"bufio"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine is the maximum size of a message in bytes.
const maxLine = 1 << 20

// readLine returns the next line without its line end. The last line doesn't need a line feed. If
// the line is longer than maxLine, readLine fails with a *lineError, and the next call returns the
// next line. readLine never keeps more in memory than maxLine bytes, a buffer, and the IDs of a
// longer line.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	var long *idScanner // reads a line that is too long
	for {
		part, err := in.ReadSlice('\n')
		if long == nil {
			line = append(line, part...)
			part = line
		}
		if len(line) > maxLine+len("\r\n") {
			line, long = nil, &idScanner{}
		}
		if long != nil {
			long.Write(part)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (len(line) > 0 || long != nil):
			err = nil // the end comes with the next call
		}
		line = trimLineEnd(line)
		switch {
		case err != nil:
		case long != nil:
			return nil, tooLong(long.end())
		case len(line) > maxLine:
			return nil, tooLong(idsIn(line))
		}
		return line, err
	}
}

func tooLong(ids [][]byte) error {
	return &lineError{ids: ids, code: jsonrpc.CodeParseError, why: "the message is larger than 1 MiB", isTooLong: true}
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
