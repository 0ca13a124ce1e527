// Package pagename takes the extensions of pages off their paths, because links, sites and
// people leave them out.
package pagename

import "strings"

// Extensions lists the extensions of pages.
var Extensions = []string{".md", ".mdx", ".markdown"}

// Stem returns a path without the extension of a page. It returns any other path unchanged.
func Stem(path string) string {
	for _, extension := range Extensions {
		if stem, ok := strings.CutSuffix(path, extension); ok {
			return stem
		}
	}
	return path
}
