package dotcontext

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/files"
)

// A fileState describes a regular file in a listing.
type fileState struct {
	name  string // any bytes except '/' and NUL
	size  int64  // bytes
	mtime time.Time
	id    identity
}

// An identity distinguishes a file from others and, together with size and mtime,
// its current state from later ones. The zero value means that it is unknown.
type identity struct {
	dev, ino uint64
	ctime    int64 // nanoseconds since 1970
}

// statFingerprint returns the fingerprint of files by name, time and size. Each
// file is a line: `name:mtime_ms:size`.
func statFingerprint(files []fileState) string {
	lines := make([]string, len(files))
	for i, f := range files {
		var digits [20]byte
		lines[i] = lineOf(f.name, string(strconv.AppendInt(digits[:0], milliseconds(f.mtime), 10)), f.size)
	}
	return fingerprint(lines)
}

func lineOf(name, what string, size int64) string {
	var digits [20]byte
	return asUTF8(name) + ":" + what + ":" + string(strconv.AppendInt(digits[:0], size, 10))
}

// fingerprint returns the first 8 hex digits of the SHA-256 of lines, sorted as
// whole strings.
func fingerprint(lines []string) string {
	slices.SortFunc(lines, compareUTF16)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}

// milliseconds returns the time since 1970 in whole milliseconds. The contract
// requires the float64 arithmetic of JavaScript's file API, which rounds up just
// below the next millisecond. The conversions keep a compiler from fusing the
// multiplication and the addition.
func milliseconds(t time.Time) int64 {
	ms := float64(float64(t.Unix())*1000) + float64(float64(t.Nanosecond())/1e6)
	return int64(math.Floor(ms))
}

// asUTF8 returns a name as valid UTF-8, for JSON.
func asUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return string([]rune(name)) // U+FFFD for every invalid byte
}

// compareUTF16 compares UTF-8 strings by UTF-16 code units, as JavaScript does. The order
// of bytes is different above U+FFFF: these characters come before U+E000 to U+FFFF, whose
// first byte is 0xEE or 0xEF.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		switch {
		case x == y:
		case x >= 0xEE && y >= 0xEE:
			return cmp.Compare(x-0xF0, y-0xF0) // wraps around
		default:
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// contentOf returns the fingerprint of the unignored files in d, by
// name, content and size. Each file is a line: `name:SHA-256:size`, in hex. Clones
// get the same fingerprint, since they contain the same files. It fails if a file
// cannot be read, and with errTooMuch.
func (p *Project) contentOf(ctx context.Context, d *projectDir) (string, error) {
	if d.unruled != nil {
		return "", d.unruled
	}
	files := d.unignored()
	total, largest := sizesOf(files)
	if total > maxHashed {
		return "", errTooMuch
	}
	var buffer []byte
	lines := make([]string, len(files))
	for i, f := range files {
		sum, size := p.memory.sumOf(f), f.size
		if sum == "" {
			if buffer == nil {
				buffer = make([]byte, min(largest+1, 64<<10))
			}
			var err error
			if sum, size, err = p.hashFile(ctx, path.Join(d.scope, f.name), buffer); err != nil {
				return "", err
			}
			if size == f.size && p.hasSettled(f) {
				p.memory.sums.Put(keyOf(f), sum, sumSize)
			}
		}
		lines[i] = lineOf(f.name, sum, size)
	}
	return fingerprint(lines), nil
}

// maxHashed bounds the bytes to hash in a directory, because a directory
// with disk images must not delay a whole list.
const maxHashed = 1 << 30

var errTooMuch = errors.New("its files contain more than 1 GiB, too much for a fingerprint of contents")

func sizesOf(files []fileState) (total, largest int64) {
	for _, f := range files {
		total += f.size
		largest = max(largest, f.size)
	}
	return total, largest
}

// hashFile returns the SHA-256 of a regular file, in hex, and the number of bytes read. It
// stops when ctx ends, since the file may be large.
func (p *Project) hashFile(ctx context.Context, path string, buffer []byte) (sum string, size int64, err error) {
	f, _, err := files.Open(p.root, path)
	if err != nil {
		return "", 0, asUnread(path, err)
	}
	defer f.Close()
	hash := sha256.New()
	for ctx.Err() == nil {
		n, err := f.Read(buffer)
		hash.Write(buffer[:n])
		size += int64(n)
		if err == io.EOF {
			return hex.EncodeToString(hash.Sum(nil)), size, nil
		}
		if err != nil {
			return "", 0, asUnread(path, err)
		}
	}
	return "", 0, ctx.Err()
}
