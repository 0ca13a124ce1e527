package agent

import (
	"fmt"
	"strings"
)

// A ServedCache is how a server's instructions describe a cache. The description and the product
// may be "".
type ServedCache struct{ Name, Description, Product string }

// catalogHeading warns models: the descriptions come from the authors of documents.
const catalogHeading = "The caches, as their authors describe them:"

// Catalog lists caches in at most room bytes, with a line for each in the given order. It shortens
// the descriptions, or leaves them out with the products, to make room for all names. If even the
// names don't fit, it says how many are missing. Without caches, it returns "".
func Catalog(caches []ServedCache, room int) string {
	if len(caches) == 0 {
		return ""
	}
	var lines []string
	for _, longest := range []int{1000, 200, 100, 50, 0} {
		lines = []string{catalogHeading}
		for _, c := range caches {
			line := "- " + c.Name
			if c.Product != "" && longest > 0 {
				line += " (" + c.Product + ")"
			}
			if c.Description != "" && longest > 0 {
				line += ": " + clip(c.Description, longest)
			}
			lines = append(lines, oneLine(line))
		}
		if text := strings.Join(lines, "\n"); len(text) <= room {
			return text
		}
	}
	const longestRest = len("and 1,000,000 more, which context_caches lists")
	var text strings.Builder
	left := 0
	text.WriteString(catalogHeading)
	for _, line := range lines[1:] {
		if text.Len()+len("\n")+len(line)+len("\n")+longestRest > room {
			left++
			continue
		}
		text.WriteString("\n" + line)
	}
	fmt.Fprintf(&text, "\nand %s more, which context_caches lists", thousands(left))
	return text.String()
}
