package dotcontext

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// A file is a regular file as a listing of its directory shows it.
type file struct {
	name  string // any bytes but '/' and NUL
	size  int64  // bytes
	mtime time.Time
}

// fileOf returns what the listing says of a regular file.
func fileOf(info fs.FileInfo) file { return file{info.Name(), info.Size(), info.ModTime()} }

// statFingerprint returns the fingerprint of a directory's regular files by
// name, time and size: a line `name:mtime_ms:size` each.
func statFingerprint(files []file) string {
	return fingerprint(files, func(f file) string { return milliseconds(f.mtime) })
}

// fingerprint returns the first 8 hex digits of the SHA-256 of the lines
// `name:what:size`, sorted as whole strings.
func fingerprint(files []file, what func(file) string) string {
	lines := make([]string, 0, len(files))
	for _, f := range files {
		lines = append(lines, asUTF8(f.name)+":"+what(f)+":"+strconv.FormatInt(f.size, 10))
	}
	slices.SortFunc(lines, compareUTF16)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:4])
}

// milliseconds returns the time since 1970 in whole milliseconds, computed in
// float64 as JavaScript's file API does: that it rounds up just below the next
// millisecond is a part of the contract. The conversions keep a compiler from
// fusing the multiplication with the addition.
func milliseconds(t time.Time) string {
	ms := float64(float64(t.Unix())*1000) + float64(float64(t.Nanosecond())/1e6)
	return strconv.FormatInt(int64(math.Floor(ms)), 10)
}

// asUTF8 returns a name as JSON can hold it.
func asUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return string([]rune(name)) // U+FFFD for every byte that is wrong
}

// compareUTF16 compares strings by UTF-16 code units, as JavaScript does. That
// differs from their bytes only where one has a character above U+FFFF.
func compareUTF16(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for n > 0 && !utf8.RuneStart(a[n]) { // a and b are equal before n
		n--
	}
	x, _ := utf8.DecodeRuneInString(a[n:])
	y, _ := utf8.DecodeRuneInString(b[n:])
	return slices.Compare(utf16.Encode([]rune{x}), utf16.Encode([]rune{y}))
}

// contentFingerprint returns the fingerprint by name, content and size, which
// lives through copies: a line `name:SHA-256:size` each, in hex. It fails if a
// file in dir cannot be read.
func contentFingerprint(ctx context.Context, dir string, files []file) (string, error) {
	buffer := make([]byte, min(largest(files)+1, 64<<10))
	hashed := make([]file, len(files))
	sums := make(map[string]string, len(files))
	for i, f := range files {
		sum, size, err := hashFile(ctx, filepath.Join(dir, f.name), buffer)
		if err != nil {
			return "", err
		}
		hashed[i] = file{name: f.name, size: size}
		sums[f.name] = sum
	}
	return fingerprint(hashed, func(f file) string { return sums[f.name] }), nil
}

func largest(files []file) (size int64) {
	for _, f := range files {
		size = max(size, f.size)
	}
	return size
}

// hashFile returns the SHA-256 of a regular file, in hex, and its size. It reads
// through the buffer, and no further when ctx ends: a file may be large.
func hashFile(ctx context.Context, path string, buffer []byte) (sum string, size int64, err error) {
	f, _, err := openRegular(os.OpenFile, path)
	if err != nil {
		return "", 0, err
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
			return "", 0, err
		}
	}
	return "", 0, ctx.Err()
}
