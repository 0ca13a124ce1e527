package describe

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// These constants bound the bytes read of a file. A larger manifest is not read at
// all. For other text, the beginning is enough.
const (
	maxManifest = 256 << 10
	maxSource   = 256 << 10
	maxText     = 64 << 10
)

// A dirReader reads the files of a directory and remembers the first error.
type dirReader struct {
	fsys  fs.FS
	names []string // of the regular files, sorted
	err   error
}

func (r *dirReader) has(name string) bool {
	_, found := slices.BinarySearch(r.names, name)
	return found
}

// whole returns the contents of a file, or "" if it is larger than maxManifest.
func (r *dirReader) whole(name string) string {
	content := r.upTo(name, maxManifest+1)
	if len(content) > maxManifest {
		return ""
	}
	return textOf(content)
}

// head returns the first bytes of a file: at most limit, and only whole lines.
func (r *dirReader) head(name string, limit int) string {
	content := r.upTo(name, limit+1)
	if len(content) > limit {
		content = content[:limit]
		content = content[:bytes.LastIndexByte(content, '\n')+1]
	}
	return textOf(content)
}

// upTo returns at most limit bytes of a file, or nil if the file is gone.
func (r *dirReader) upTo(name string, limit int) (content []byte) {
	f, err := r.fsys.Open(name)
	if err == nil {
		defer f.Close()
		content, err = io.ReadAll(io.LimitReader(f, int64(limit)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && r.err == nil {
		r.err = err
	}
	return content
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
