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
	"unicode/utf16"
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
		lines[i] = lineOf(f.name, milliseconds(f.mtime), f.size)
	}
	return fingerprint(lines)
}

func lineOf(name, what string, size int64) string {
	return asUTF8(name) + ":" + what + ":" + strconv.FormatInt(size, 10)
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
func milliseconds(t time.Time) string {
	ms := float64(float64(t.Unix())*1000) + float64(float64(t.Nanosecond())/1e6)
	return strconv.FormatInt(int64(math.Floor(ms)), 10)
}

// asUTF8 returns a name as valid UTF-8, for JSON.
func asUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return string([]rune(name)) // U+FFFD for every invalid byte
}

// compareUTF16 compares strings by UTF-16 code units, as JavaScript does. The order
// of bytes is different if a string contains a character above U+FFFF.
func compareUTF16(a, b string) int {
	for i, x := range a {
		if i == len(b) {
			return 1
		}
		if y, _ := utf8.DecodeRuneInString(b[i:]); x != y {
			return cmp.Or(cmp.Compare(firstUnit(x), firstUnit(y)), cmp.Compare(x, y))
		}
	}
	return cmp.Compare(len(a), len(b))
}

func firstUnit(r rune) rune {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return high
	}
	return r
}

func statOf(d *projectDir) string {
	if d.known.stat == "" || !slices.Equal(d.known.files, d.files) {
		known := d.learn()
		known.files, known.stat = d.files, statFingerprint(d.files)
	}
	return d.known.stat
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
	if d.known.content != "" && slices.EqualFunc(d.known.shared, files, isSame) {
		return d.known.content, nil
	}
	files, sums, err := p.hashAll(ctx, d, files)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = lineOf(f.name, sums[i], f.size)
		files[i] = p.settled(f)
	}
	known := d.learn()
	known.shared, known.sums, known.content = files, sums, fingerprint(lines)
	return known.content, nil
}

// hashAll returns the SHA-256 of each file in d, in hex, and the state that the
// file was in before it was hashed.
func (p *Project) hashAll(ctx context.Context, d *projectDir, files []fileState) (hashed []fileState, sums []string, err error) {
	total, largest := sizesOf(files)
	if total > maxHashed {
		return nil, nil, errTooMuch
	}
	buffer := make([]byte, min(largest+1, 64<<10))
	hashed, sums = make([]fileState, 0, len(files)), make([]string, 0, len(files))
	for _, f := range files {
		sum := d.known.sumOf(f)
		if sum == "" {
			if f, sum, err = p.hashFile(ctx, path.Join(d.scope, f.name), buffer); err != nil {
				return nil, nil, err
			}
		}
		hashed, sums = append(hashed, f), append(sums, sum)
	}
	return hashed, sums, nil
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

// hashFile returns the SHA-256 of a regular file, in hex, and the state that the
// file was in before, with the number of bytes read as its size. It stops when ctx
// ends, since the file may be large.
func (p *Project) hashFile(ctx context.Context, path string, buffer []byte) (read fileState, sum string, err error) {
	f, info, err := files.Open(p.root, path)
	if err != nil {
		return fileState{}, "", asUnread(path, err)
	}
	defer f.Close()
	read = describedBy(info)
	read.size = 0
	hash := sha256.New()
	for ctx.Err() == nil {
		n, err := f.Read(buffer)
		hash.Write(buffer[:n])
		read.size += int64(n)
		if err == io.EOF {
			return read, hex.EncodeToString(hash.Sum(nil)), nil
		}
		if err != nil {
			return fileState{}, "", asUnread(path, err)
		}
	}
	return fileState{}, "", ctx.Err()
}
