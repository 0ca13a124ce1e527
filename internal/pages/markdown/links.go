package markdown

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A Link is a link of a page, except for images.
type Link struct {
	Start  int    // offset of the target in the page
	Target string // URL, path or fragment without escapes; a template of a site generator stays as it is
}

// Links returns the links of a page in order, and the anchors for links to it: of its headings, in
// attributes and in comments. It needs the page itself, because the text of MDX lacks tags.
func (b Body) Links(page []byte) (links []Link, anchors []string) {
	plain, texts, _ := b.Plain()
	l := linkReader{page: page, plain: plain}
	for _, text := range texts {
		if size, ends := destinationEnd(page[text.End:]); ends && page[text.End] == '(' {
			l.add(text.End+1, page[text.End+1:text.End+size-1])
		}
	}
	l.readLines()
	l.readTags()
	nameless := 0
	for _, block := range b.Blocks {
		switch {
		case block.Anchor != "":
			l.anchors = append(l.anchors, block.Anchor)
		case block.Level > 0: // DocFX names headings without letters
			l.addAnchor("section")
			l.addAnchor("section-" + strconv.Itoa(nameless))
			nameless++
		}
	}
	slices.SortStableFunc(l.links, func(a, b Link) int { return a.Start - b.Start })
	return l.links, l.anchors
}

type linkReader struct {
	page, plain []byte // of the same length
	links       []Link
	anchors     []string
}

// add adds the link with a destination, which may be followed by a title.
func (l *linkReader) add(start int, destination []byte) {
	trimmed := bytes.TrimLeft(destination, " \t\r\n")
	start += len(destination) - len(trimmed)
	end := bytes.IndexAny(trimmed, " \t\r\n")
	switch {
	case bytes.HasPrefix(trimmed, []byte("<")):
		if trimmed = trimmed[1:]; bytes.IndexByte(trimmed, '>') >= 0 {
			end = bytes.IndexByte(trimmed, '>')
		}
		start++
	case bytes.HasPrefix(trimmed, []byte("{")):
		end = -1 // a template, which may contain spaces
	}
	if end >= 0 {
		trimmed = trimmed[:end]
	}
	target := html.UnescapeString(escape().ReplaceAllString(string(trimmed), "$1"))
	if target != "" {
		l.links = append(l.links, Link{start, target})
	}
}

var escape = lazy.Regexp(`\\([!-/:-@\[-` + "`" + `{-~])`)

// isBlanked reports whether the plain text of the page lacks the byte at an offset.
func (l *linkReader) isBlanked(at int) bool { return l.plain[at] == ' ' && l.page[at] != ' ' }

// readLines reads link definitions, the headings of lists and quotations, which are not blocks, and
// headings without their attributes.
func (l *linkReader) readLines() {
	at := 0
	for line := range bytes.Lines(l.page) {
		body := afterMarkers(line)
		start := at + len(line) - len(body)
		at += len(line)
		switch {
		case isBlank(body):
		case isDefinition(body) && l.isBlanked(start):
			if colon := bytes.IndexByte(body, ']') + 1; body[colon] == ':' {
				l.add(start+colon+1, body[colon+1:])
			}
		case body[0] == '#':
			if text := bytes.TrimLeft(body, "#"); len(text) > 0 && text[0] == ' ' && !l.isBlanked(start) {
				l.addAnchor(slugOf(lastAttributes().ReplaceAllString(string(bytes.Trim(text, "# \t\r\n")), "")))
			}
		case body[0] == '(' && bytes.HasSuffix(bytes.TrimSpace(body), []byte(")=")): // MyST
			l.addAnchor(string(body[1:bytes.LastIndexByte(body, ')')]))
		}
	}
}

func (l *linkReader) addAnchor(name string) {
	if name != "" && len(name) <= maxTitle {
		l.anchors = append(l.anchors, name)
	}
}

var (
	// attribute matches an attribute with a link or an anchor. Components call links "to", too.
	attribute = lazy.Regexp(`[\s<](href|to|id|name)=(?:"([^"\n]*)"|'([^'\n]*)'|\{"([^"\n]*)"\})`)

	// attributeList matches an attribute list with an anchor, such as {#setup}, {.wide #setup} or {:
	// #setup}.
	attributeList = lazy.Regexp(`\{(?:[^{}\n]*[ \t:])?#([^\s{}]+)[^{}\n]*\}`)

	// lastAttributes matches an attribute list at the end of a heading.
	lastAttributes = lazy.Regexp(`[ \t]*\{[^{}]*\}$`)
)

// readTags reads the attributes of tags, except in comments, and attribute lists.
func (l *linkReader) readTags() {
	comments := l.comments()
	for _, found := range attribute().FindAllSubmatchIndex(l.page, -1) {
		name, start := string(l.page[found[2]:found[3]]), max(found[4], found[6], found[8])
		end := max(found[5], found[7], found[9])
		for len(comments) > 0 && comments[0][1] <= start {
			comments = comments[1:]
		}
		switch {
		case !l.isBlanked(found[2]) || len(comments) > 0 && comments[0][0] < start:
		case name == "href" || name == "to" && bytes.HasSuffix(l.page[:found[0]], []byte("<Link")):
			l.add(start, []byte(strings.ReplaceAll(string(l.page[start:end]), " ", "%20")))
		case name == "id" || name == "name":
			l.addAnchor(html.UnescapeString(string(l.page[start:end])))
		}
	}
	for _, found := range attributeList().FindAllSubmatch(l.page, -1) {
		l.addAnchor(string(found[1]))
	}
}

// comments returns where the comments of the page begin and end. It adds the anchors that
// [AnchorComment] wrote.
func (l *linkReader) comments() (all [][2]int) {
	for at := 0; ; {
		next := bytes.Index(l.page[at:], []byte("<!--"))
		if next < 0 {
			return all
		}
		at += next
		size := bytes.Index(l.page[at:], []byte(anchorEnd))
		if size < 0 {
			return all
		}
		if text := string(l.page[at : at+size]); strings.HasPrefix(text, anchorOpening) {
			l.addAnchor(text[len(anchorOpening):])
		} else if l.isBlanked(at) {
			all = append(all, [2]int{at, at + size})
		}
		at += size
	}
}
