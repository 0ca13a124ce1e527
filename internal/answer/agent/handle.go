package agent

import (
	"crypto/sha256"
	"strconv"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/lazy"
)

// A handle is a short name of a page, such as "412kpqxz", or of its third section,
// "412kpqxz.3". It starts with the number of the page in its cache, from 1. The letters are a
// checksum of the page's ID and version, so after a rebuild a handle either names the same page
// in the same version or is refused, except for 1 in 2.5 million.
type handle struct {
	page    int // from 0
	check   string
	section int // from 1; 0 means the page
}

var handlePattern = lazy.Regexp(`^([1-9][0-9]{0,8})([b-z]{5})(?:\.([1-9][0-9]{0,6}))?$`)

func parseHandle(text string) (h handle, isOne bool) {
	found := handlePattern().FindStringSubmatch(text)
	if found == nil {
		return h, false
	}
	number, _ := strconv.Atoi(found[1])
	section, _ := strconv.Atoi(found[3])
	return handle{number - 1, found[2], section}, true
}

// handleOf returns the handle of a section, or of the page if section is 0. page is the number of
// the page, from 0.
func handleOf(page int, id document.ID, version document.Version, section int) string {
	text := strconv.Itoa(page+1) + checkOf(id, version)
	if section > 0 {
		text += "." + strconv.Itoa(section)
	}
	return text
}

// checkLetters are letters that form no words and don't look like digits.
const checkLetters = "bcdfghjkmnpqrstvwxz"

// checkOf returns the checksum of a page: five letters, which can have 2.5 million values.
func checkOf(id document.ID, version document.Version) string {
	sum := sha256.Sum256(append(version[:], id...))
	letters := make([]byte, 5)
	for i := range letters {
		letters[i] = checkLetters[int(sum[i])%len(checkLetters)]
	}
	return string(letters)
}
