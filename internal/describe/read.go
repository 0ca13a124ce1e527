package describe

import (
	"bytes"
	"io"
	"io/fs"
	"strings"
	"unicode/utf16"
)

// maxFile is the most bytes that are read of a file. A manifest is of use only
// as a whole; of a text, the beginning will do.
const (
	maxFile = 256 << 10
	maxText = 64 << 10
)

// readWhole returns the contents of a file, nil if it cannot be read or is
// larger than maxFile.
func readWhole(fsys fs.FS, name string) []byte {
	content := readUpTo(fsys, name, maxFile+1)
	if len(content) > maxFile {
		return nil
	}
	return content
}

// readHead returns the first maxText bytes of a file, up to the end of a line.
// It is "" if the file cannot be read.
func readHead(fsys fs.FS, name string) string {
	content := readUpTo(fsys, name, maxText+1)
	if len(content) > maxText {
		content = content[:maxText]
		content = content[:bytes.LastIndexByte(content, '\n')+1]
	}
	return textOf(content)
}

func readUpTo(fsys fs.FS, name string, limit int64) []byte {
	f, err := fsys.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return nil
	}
	return content
}

// textOf returns content as UTF-8 with line feeds only and without a byte order
// mark. What is not UTF-8 is UTF-16 if a mark says so.
func textOf(content []byte) string {
	text := string(content)
	if big := strings.HasPrefix(text, "\xfe\xff"); big || strings.HasPrefix(text, "\xff\xfe") {
		text = decodeUTF16(text, big)
	}
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ToValidUTF8(text, "\ufffd")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

func decodeUTF16(text string, big bool) string {
	var units []uint16
	for i := 0; i+1 < len(text); i += 2 {
		first, second := uint16(text[i]), uint16(text[i+1])
		if big {
			first, second = second, first
		}
		units = append(units, first|second<<8)
	}
	return string(utf16.Decode(units))
}
