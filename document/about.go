package document

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/pagename"
)

// An About says what a cache is about, for agents. The zero About says nothing.
type About struct {
	Description string // one line, see [ParseDescription]
	BaseURL     string // of the pages, see [ParseBaseURL]
}

// Check fails unless the fields are what [ParseDescription] and [ParseBaseURL] return.
func (a About) Check() error {
	if _, err := ParseDescription(a.Description); err != nil {
		return fmt.Errorf("description: %w", err)
	}
	base, err := ParseBaseURL(a.BaseURL)
	if err == nil && base != a.BaseURL {
		err = fmt.Errorf("want %s", base)
	}
	if err != nil {
		return fmt.Errorf("base URL: %w", err)
	}
	return nil
}

// maxAbout is the most bytes that a description or a base URL may have.
const maxAbout = 1000

// ParseDescription returns the description that is text. It fails unless that is one
// line of valid UTF-8, without control characters, of at most 1,000 bytes.
func ParseDescription(text string) (string, error) {
	switch {
	case len(text) > maxAbout:
		return "", tooLong(text)
	case !utf8.ValidString(text):
		return "", errors.New("it is not UTF-8")
	case strings.ContainsFunc(text, breaksLine):
		return "", errors.New("want one line without control characters")
	}
	return text, nil
}

// breaksLine reports whether r ends a line or is a control character. The bidi
// controls can make the text around a description look like another one.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

func tooLong(text string) error {
	return fmt.Errorf("it has %d bytes: want at most %d", len(text), maxAbout)
}

// pathHole stands for the path of a page in a base URL.
const pathHole = "{path}"

// ParseBaseURL returns the base URL that is text, with a final slash unless it has
// "{path}". It fails unless text is an absolute URL of http or https in ASCII, without a
// user, a query or a fragment, of at most 1,000 bytes. The path may have "{path}" once.
func ParseBaseURL(text string) (string, error) {
	before, after, hasHole := strings.Cut(text, pathHole)
	plain := before + after
	base, err := url.Parse(plain)
	switch {
	case text == "":
		return "", nil
	case len(text) > maxAbout:
		return "", tooLong(text)
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "":
		return "", errors.New("want an absolute URL such as https://example.com/docs/")
	case base.User != nil || strings.ContainsAny(plain, "?#"):
		return "", errors.New("want a URL without user, query and fragment")
	case strings.ContainsFunc(plain, needsEscape):
		return "", errors.New("want its characters that are not allowed in URLs percent-encoded")
	case hasHole && strings.Count(before, "/") < 3: // as in "https://host/"
		return "", errors.New("want {path} in the path")
	}
	if !hasHole && !strings.HasSuffix(text, "/") {
		text += "/"
	}
	return text, nil
}

// needsEscape reports whether the path of a URL cannot have r as it stands (RFC 3986).
func needsEscape(r rune) bool {
	const others = "-._~:/[]@!$&'()*+,;=%"
	isAlphanumeric := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !isAlphanumeric && !strings.ContainsRune(others, r)
}

// URL returns the URL of a heading in the page with that source. anchor is that of the
// heading, or "" for the whole page. It returns "" without a base URL.
//
// The source replaces "{path}" as it stands. Without "{path}", it comes after the base
// URL as most sites have it: without the extension, and as its directory if it is named
// index, _index or README.
func (a About) URL(source, anchor string) string {
	if a.BaseURL == "" {
		return ""
	}
	if anchor != "" {
		anchor = "#" + url.PathEscape(anchor)
	}
	before, after, hasHole := strings.Cut(a.BaseURL, pathHole)
	if !hasHole {
		source = sitePath(source)
	}
	return before + escapePath(source) + after + anchor
}

// sitePath returns the path that a site has for a source.
func sitePath(source string) string {
	stem := pagename.Stem(source)
	dir, name := path.Split(stem)
	switch strings.ToLower(name) {
	case "index", "_index", "readme":
		return dir
	}
	return stem
}

// escapePath percent-encodes the names of a path.
func escapePath(text string) string {
	names := strings.Split(text, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return strings.Join(names, "/")
}
