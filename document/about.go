package document

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/pagename"
)

// An About tells agents what a cache is about. The zero About says nothing. Use
// [ParseDescription], [ParseBaseURL] and [ParseProduct] to fill it from user input.
type About struct {
	Description string // a single line, see [ParseDescription]
	BaseURL     string // of the pages, see [ParseBaseURL]
	Product     Product
}

// Check fails unless the fields are valid results of [ParseDescription], [ParseBaseURL] and
// [ParseProduct].
func (a About) Check() error {
	if _, err := ParseDescription(a.Description); err != nil {
		return fmt.Errorf("description: %w", err)
	}
	base, err := ParseBaseURL(a.BaseURL)
	if err == nil && base != a.BaseURL {
		err = fmt.Errorf("expected %s", base)
	}
	if err != nil {
		return fmt.Errorf("base URL: %w", err)
	}
	if err := a.Product.Check(); err != nil {
		return fmt.Errorf("product: %w", err)
	}
	return nil
}

// maxAbout is the maximum length of a description or a base URL, in bytes.
const maxAbout = 1000

// ParseDescription checks a description and returns it unchanged. It fails unless text
// is a single line of valid UTF-8 without control characters, at most 1,000 bytes long.
func ParseDescription(text string) (string, error) {
	switch {
	case len(text) > maxAbout:
		return "", tooLong(text)
	case !utf8.ValidString(text):
		return "", errors.New("it is not UTF-8")
	case strings.ContainsFunc(text, breaksLine):
		return "", errors.New("expected a single line without control characters")
	}
	return text, nil
}

// breaksLine reports whether r ends a line or is a control character. Bidi controls
// count as well, because they can disguise the text around a description.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

func tooLong(text string) error {
	return fmt.Errorf("it is %d bytes long, but at most %d are allowed", len(text), maxAbout)
}

// pathHole is the placeholder for the path of a page in a base URL.
const pathHole = "{path}"

// ParseBaseURL checks a base URL and returns it, adding a final slash unless it contains
// "{path}". It fails unless text is an absolute http or https URL in ASCII without a
// user, a query or a fragment, at most 1,000 bytes long. Its path may contain "{path}"
// once. An empty text means no base URL.
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
		return "", errors.New("expected an absolute URL such as https://example.com/docs/")
	case base.User != nil || strings.ContainsAny(plain, "?#"):
		return "", errors.New("expected a URL without user, query and fragment")
	case strings.ContainsFunc(plain, needsEscape):
		return "", errors.New("characters that are not allowed in URLs must be percent-encoded")
	case hasHole && strings.Count(before, "/") < 3: // as in "https://host/"
		return "", errors.New("expected {path} in the path")
	}
	if !hasHole && !strings.HasSuffix(text, "/") {
		text += "/"
	}
	return text, nil
}

// needsEscape reports whether the path of a URL must not contain r literally (RFC 3986).
func needsEscape(r rune) bool {
	const others = "-._~:/[]@!$&'()*+,;=%"
	isAlphanumeric := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	return !isAlphanumeric && !strings.ContainsRune(others, r)
}

// URL returns the URL of a heading in the page with a source, or "" without a base URL.
// anchor identifies the heading; "" means the whole page.
//
// The source replaces "{path}" unchanged. Without "{path}", the path follows the
// conventions of most sites: it lacks the extension, and pages named index, _index or
// README get the path of their directory.
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

// sitePath returns the path of a source on a site.
func sitePath(source string) string {
	stem := pagename.Stem(source)
	dir, name := path.Split(stem)
	switch strings.ToLower(name) {
	case "index", "_index", "readme":
		return dir
	}
	return stem
}

// escapePath percent-encodes the names in a path.
func escapePath(text string) string {
	names := strings.Split(text, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return strings.Join(names, "/")
}
