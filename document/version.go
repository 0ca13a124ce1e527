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

// versionPrefix names the algorithm in a version's text.
const versionPrefix = "sha256:"

// stemDigits is how many hex digits of a version begin the name of its file.
const stemDigits = 12

// VersionOf returns the version of content.
func VersionOf(content []byte) Version { return sha256.Sum256(content) }

// ParseVersion parses what [Version.String] prints, and nothing else: upper
// case hex would be a second spelling of one version.
func ParseVersion(s string) (Version, error) {
	var v Version
	digits, ok := strings.CutPrefix(s, versionPrefix)
	if !ok || len(digits) != hex.EncodedLen(len(v)) || strings.ContainsAny(digits, "ABCDEF") {
		return Version{}, fmt.Errorf("%q is not a version: want sha256: and 64 lower-case hex digits", s)
	}
	if _, err := hex.Decode(v[:], []byte(digits)); err != nil {
		return Version{}, fmt.Errorf("%q is not a version: %w", s, err)
	}
	return v, nil
}

// String returns "sha256:" and 64 lower-case hex digits.
func (v Version) String() string { return string(v.AppendText(nil)) }

// AppendText appends what String returns to dst.
func (v Version) AppendText(dst []byte) []byte {
	return hex.AppendEncode(append(dst, versionPrefix...), v[:])
}

// Stem returns the first 12 hex digits, which begin the name of the
// document's file. Documents with equal content share it.
func (v Version) Stem() string { return hex.EncodeToString(v[:stemDigits/2]) }
