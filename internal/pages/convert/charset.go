package convert

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// declared matches the declaration of a character encoding in XML or in a meta element.
var declared = lazy.Regexp(`(?i)(?:<\?xml[^>]*encoding|<meta[^>]*charset)\s*=\s*["']?\s*([a-z0-9_.:-]+)`)

// headSize is how many bytes of a page may contain the declaration. Browsers look at the same
// number.
const headSize = 1024

// decode returns a page as valid UTF-8. Since older generators write ISO-8859-1 or Windows-1252, it
// supports these, too. Like browsers, it doesn't distinguish between them.
func decode(content []byte) (string, error) {
	if bytes.HasPrefix(content, []byte("\xfe\xff")) || bytes.HasPrefix(content, []byte("\xff\xfe")) {
		return "", fmt.Errorf("character encoding UTF-16 is not supported; convert the page to UTF-8")
	}
	if text, ok := bytes.CutPrefix(content, []byte("\ufeff")); ok {
		return checkUTF8(text)
	}
	found := declared().FindSubmatch(content[:min(len(content), headSize)])
	if found == nil {
		return checkUTF8(content)
	}
	switch name := strings.ToLower(string(found[1])); name {
	case "utf-8", "utf8":
		return checkUTF8(content)
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "windows-1252", "cp1252":
		text, err := charmap.Windows1252.NewDecoder().Bytes(content)
		return string(text), err
	default:
		if isASCII(content) {
			return string(content), nil
		}
		return "", fmt.Errorf("character encoding %.40s is not supported; convert the page to UTF-8", name)
	}
}

func checkUTF8(content []byte) (string, error) {
	if !utf8.Valid(content) {
		return "", fmt.Errorf("the page is not valid UTF-8, and it declares no other character encoding")
	}
	return string(content), nil
}

func isASCII(content []byte) bool {
	return !bytes.ContainsFunc(content, func(r rune) bool { return r >= utf8.RuneSelf })
}
