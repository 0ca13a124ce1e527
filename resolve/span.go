package resolve

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
)

// linesAndBytes matches a fragment that names lines or bytes.
var linesAndBytes = regexp.MustCompile(`^([LB])([0-9]{1,9})-[LB]?([0-9]{1,9})$`)

// Span returns the bytes of a document that a fragment names:
//
//	L3-L9     lines, the first is 1
//	B10-B90   bytes 10 to 89, the first is 0
//	setup     the heading with that anchor, and the text up to the next heading
//	setup~2   the section with that slug, as Resolve prints it
//	""        all
//
// It fails with [fs.ErrNotExist] if the cache has no such document, and with
// [fault.IO] if the document has no such part.
func (c *Cache) Span(id document.ID, fragment string) (document.Span, error) {
	doc, err := c.Read(id)
	if err != nil {
		return document.Span{}, err
	}
	start, end, isFound := 0, len(doc.Content), fragment == ""
	if numbers := linesAndBytes.FindStringSubmatch(fragment); numbers != nil {
		first, _ := strconv.Atoi(numbers[2])
		last, _ := strconv.Atoi(numbers[3])
		start, end, isFound = first, last, true
		if numbers[1] == "L" {
			start, end = lineStart(doc.Content, first), lineStart(doc.Content, last+1)
			isFound = first > 0
		}
	} else if !isFound {
		if start, end, isFound, err = headingSpan(doc.Content, fragment); err == nil && !isFound {
			start, end, isFound, err = sectionSpan(doc.Content, fragment)
		}
	}
	if err == nil && (!isFound || start >= end || end > len(doc.Content)) {
		err = fault.Errorf(fault.IO, "%s has no part %q", id, fragment)
	}
	return document.Span{ID: id, Start: start, End: end}, err
}

// lineStart returns the offset of a line; the first is line 1. The result is greater
// than len(content) if the content has fewer lines.
func lineStart(content []byte, line int) (at int) {
	for range line - 1 {
		if at == len(content) {
			return at + 1
		}
		if next := bytes.IndexByte(content[at:], '\n'); next >= 0 {
			at += next + 1
		} else {
			at = len(content)
		}
	}
	return at
}

// headingSpan returns the span from the heading with an anchor to the next heading.
func headingSpan(content []byte, anchor string) (start, end int, isFound bool, err error) {
	blocks, err := blocksOf(content)
	for _, b := range blocks {
		switch {
		case isFound && b.Level > 0:
			return start, b.Start, true, nil
		case !isFound && b.Level > 0 && b.Anchor == anchor:
			start, isFound = b.Start, true
		}
	}
	return start, len(content), isFound, err
}

// sectionSpan returns the span of the section with a slug.
func sectionSpan(content []byte, slug string) (start, end int, isFound bool, err error) {
	parts, err := cut(content)
	for _, p := range parts {
		if p.Slug == slug {
			return p.Start, p.End, true, nil
		}
	}
	return 0, 0, false, err
}
