package sections_test

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/pages/sections"
)

func TestASectionOfLinksIsKnown(t *testing.T) {
	text := strings.Repeat("Plain text that is long enough to be a section.\n\n", 50)
	links := strings.Repeat("- [Another page](other/page.md)\n", 20)
	for _, tc := range []struct {
		name, content string
		want          sections.Traits
	}{
		{"links", "# A\n\n" + text + "# See also\n\n" + links, sections.Links},
		{"links by labels", "# A\n\n" + text + "# See also\n\n" + strings.ReplaceAll(links, "(other/page.md)", "[12]") + "\n<!-- labels -->\n" + strings.Repeat("[12]: other/page/of/words.md\n", 20), sections.Links},
		{"text", "# A\n\n" + links + "\n# B\n\n" + text, 0},
		{"text and links", "# A\n\n" + text + "# B\n\n" + text + links, 0},
		{"images", "# A\n\n" + text + "# B\n\n" + strings.ReplaceAll(links, "[", "!["), 0},
		{"60% links", "# A\n\n" + text + "# B\n\n" + strings.Repeat("x", 399) + strings.Repeat(" [abcdef](g.md)", 100) + "\n", 0},
		{"more than 60% links", "# A\n\n" + text + "# B\n\n" + strings.Repeat("x", 398) + strings.Repeat(" [abcdef](g.md)", 100) + "\n", sections.Links},
		{"links in code", "# A\n\n" + text + "# B\n\n```\n" + links + "```\n", 0},
	} {
		parts := cut([]byte(tc.content))
		if got := parts[1].Traits; len(parts) != 2 || got != tc.want {
			t.Errorf("%s: got %d sections, the second with the traits %b, want %b", tc.name, len(parts), got, tc.want)
		}
	}
}
