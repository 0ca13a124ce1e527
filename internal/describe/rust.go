package describe

import (
	"io/fs"
	"strings"
)

// rustSummary returns the first paragraph of the documentation of a crate or a
// module.
func rustSummary(fsys fs.FS, names []string) string {
	var roots []string
	for _, name := range []string{"lib.rs", "main.rs", "mod.rs"} {
		if has(names, name) {
			roots = append(roots, name)
		}
	}
	return firstOf(roots, func(name string) string {
		return firstParagraph(innerDoc(readHead(fsys, name)))
	})
}

// innerDoc returns the Markdown of the inner doc comments, "//!" or "/*!", at
// the beginning of Rust source. Attributes and other comments may stand before
// and between them.
func innerDoc(text string) string {
	var doc strings.Builder
	for text != "" {
		text = strings.TrimLeft(text, " \t\n")
		if block, ok := strings.CutPrefix(text, "/*"); ok {
			block, text, _ = strings.Cut(block, "*/")
			if inner, ok := strings.CutPrefix(block, "!"); ok {
				doc.WriteString(withoutStars(inner) + "\n")
			}
			continue
		}
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if inner, ok := strings.CutPrefix(line, "//!"); ok {
			doc.WriteString(strings.TrimPrefix(inner, " ") + "\n")
			continue
		}
		if !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#!") {
			break
		}
	}
	return doc.String()
}

// withoutStars returns the text of a block comment without the stars that
// begin its lines.
func withoutStars(comment string) string {
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t")
		line = strings.TrimPrefix(strings.TrimLeft(line, "*"), " ")
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
