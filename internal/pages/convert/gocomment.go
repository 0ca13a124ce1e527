package convert

import (
	"go/doc/comment"
	"strings"
)

// comment writes a documentation comment. Its headings begin sections if they belong to the
// package or to a command; elsewhere they become bold text, so that a function stays a single
// section.
func (p *goPage) comment(text string, level int) {
	if text == "" || p.err != nil {
		return
	}
	if longestWord(text) > maxWord {
		p.fence(strings.Trim(cleanCode(text), "\n"), "")
		return
	}
	for _, block := range p.pkg.Parser().Parse(text).Content {
		switch b := block.(type) {
		case *comment.Heading:
			if level == 2 {
				p.inlines(b.Text)
				p.endHeading(level, "")
				continue
			}
			p.line.open("**", "**")
			p.inlines(b.Text)
			p.line.close()
			p.flush()
		case *comment.Paragraph:
			p.inlines(b.Text)
			p.flush()
		case *comment.Code:
			p.fence(strings.Trim(cleanCode(b.Text), "\n"), "")
		case *comment.List:
			p.commentList(b)
		}
	}
}

// maxWord is the most bytes of a word in a comment. The parser of comments looks for the end of a
// URL again and again, so a word of a megabyte would take minutes.
const maxWord = 4 << 10

func longestWord(text string) (longest int) {
	for word := range strings.FieldsSeq(text) {
		longest = max(longest, len(word))
	}
	return longest
}

func (p *goPage) commentList(list *comment.List) {
	for i, item := range list.Items {
		marker := "- "
		if item.Number != "" {
			marker = item.Number + ". "
		}
		p.isTight = i > 0 && !list.BlankBetween()
		p.item(marker, func() {
			for _, block := range item.Content {
				if paragraph, ok := block.(*comment.Paragraph); ok {
					p.inlines(paragraph.Text)
					p.flush()
				}
			}
		})
	}
	p.isTight = false
}

// inlines writes the text of a paragraph. Links to other declarations become plain text, because
// their names are what readers search for.
func (p *goPage) inlines(texts []comment.Text) {
	for _, text := range texts {
		switch t := text.(type) {
		case comment.Plain:
			p.line.write(string(t))
		case comment.Italic:
			p.line.wrap("*", string(t), "*")
		case *comment.DocLink:
			p.inlines(t.Text)
		case *comment.Link:
			if t.Auto {
				p.line.raw(t.URL)
				continue
			}
			p.line.open("[", "]("+p.target(t.URL)+")")
			p.inlines(t.Text)
			p.line.close()
		}
	}
}
