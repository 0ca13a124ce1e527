package document

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// A Version is the SHA-256 of a document's content, or of the entries of a cache's
// manifest.
type Version [sha256.Size]byte

const versionPrefix = "sha256:"

// stemDigits is the number of hex digits of a version at the beginning of its file's
// name.
const stemDigits = 12

// VersionOf returns the version of content.
func VersionOf(content []byte) Version { return sha256.Sum256(content) }

// ParseVersion parses the output of [Version.String] and nothing else. For example, it
// refuses upper-case digits, because each version should have only a single spelling.
func ParseVersion(s string) (Version, error) {
	var v Version
	digits, ok := strings.CutPrefix(s, versionPrefix)
	if !ok || len(digits) != hex.EncodedLen(len(v)) || strings.ContainsAny(digits, "ABCDEF") {
		return Version{}, fmt.Errorf("%q is not a version: expected sha256: and 64 lower-case hex digits", s)
	}
	if _, err := hex.Decode(v[:], []byte(digits)); err != nil {
		return Version{}, fmt.Errorf("%q is not a version: %w", s, err)
	}
	return v, nil
}

// String returns "sha256:" and 64 lower-case hex digits.
func (v Version) String() string { return string(v.AppendText(nil)) }

// AppendText appends the result of String to dst.
func (v Version) AppendText(dst []byte) []byte {
	return hex.AppendEncode(append(dst, versionPrefix...), v[:])
}

// Stem returns the first 12 hex digits, with which the name of the document's file
// begins. Documents with equal content share it.
func (v Version) Stem() string { return hex.EncodeToString(v[:stemDigits/2]) }
