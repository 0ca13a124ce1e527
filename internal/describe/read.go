package describe

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// The most bytes that are read of a file. A manifest is of use only as a whole;
// of other text, the beginning will do.
const (
	maxManifest = 256 << 10
	maxSource   = 256 << 10
	maxText     = 64 << 10
)

// A reader reads the files of a directory and remembers the first error.
type reader struct {
	fsys  fs.FS
	names []string // of the regular files, in order
	err   error
}

// whole returns the contents of a file, "" if it is larger than maxManifest.
func (r *reader) whole(name string) string {
	content := r.upTo(name, maxManifest+1)
	if len(content) > maxManifest {
		return ""
	}
	return textOf(content)
}

// head returns the first bytes of a file, at most limit and whole lines.
func (r *reader) head(name string, limit int) string {
	content := r.upTo(name, limit+1)
	if len(content) > limit {
		content = content[:limit]
		content = content[:bytes.LastIndexByte(content, '\n')+1]
	}
	return textOf(content)
}

func (r *reader) upTo(name string, limit int) []byte {
	content, err := readUpTo(r.fsys, name, limit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && r.err == nil {
		r.err = err
	}
	return content
}

func readUpTo(fsys fs.FS, name string, limit int) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(limit)))
	if err != nil {
		return nil, err
	}
	return content, nil
}

// textOf returns content as UTF-8 with line feeds only and without a byte order
// mark. Content with a zero byte is not text.
func textOf(content []byte) string {
	if bytes.IndexByte(content, 0) >= 0 {
		return ""
	}
	text := strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), "\ufffd")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
