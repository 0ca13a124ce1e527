package answers

import (
	"bytes"
	"cmp"
	"context"
	"strconv"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/stages"
)

// lines and bytesOf match fragments that name lines and bytes.
var (
	lines   = lazy.Regexp(`^L([0-9]{1,9})(?:-L([0-9]{1,9}))?$`)
	bytesOf = lazy.Regexp(`^B([0-9]{1,9})-B([0-9]{1,9})$`)
)

// Span returns the bytes of a document that a fragment names:
//
//	L3-L9     lines, counted from 1; L3 is a single line
//	B10-B90   bytes 10 to 89, counted from 0
//	setup     the heading with that anchor, and the text up to the next heading
//	setup~2   the section with that slug, without its lead and its tail
//	""        all sections: the content without its front matter
//
// It fails with [fs.ErrNotExist] if the cache contains no such document, and with [fault.IO]
// if the document contains no such part.
func (c *Cache) Span(id document.ID, fragment string) (document.Span, error) {
	doc, err := c.Read(id)
	if err != nil {
		return document.Span{}, err
	}
	start, end, err := spanIn(doc, fragment)
	if err == nil && (start >= end && fragment != "" || end > len(doc.Content)) {
		err = fault.Errorf(fault.IO, "%s contains no part %q: expected the anchor of a heading, lines such as L3-L9, or bytes such as B10-B90", id, fragment)
	}
	return document.Span{ID: id, Start: start, End: end}, err
}

// spanIn returns the bytes that a fragment names. If there is no such part, start and end are
// equal or end is greater than the size of the content.
func spanIn(doc document.Document, fragment string) (start, end int, err error) {
	content := doc.Content
	if numbers := lines().FindStringSubmatch(fragment); numbers != nil {
		first, _ := strconv.Atoi(numbers[1])
		last, _ := strconv.Atoi(cmp.Or(numbers[2], numbers[1]))
		if first == 0 {
			return 0, 0, nil
		}
		return lineStart(content, first), lineStart(content, last+1), nil
	}
	if numbers := bytesOf().FindStringSubmatch(fragment); numbers != nil {
		start, _ = strconv.Atoi(numbers[1])
		end, _ = strconv.Atoi(numbers[2])
		return start, end, nil
	}
	if fragment == "" {
		parts, err := cut(doc)
		if err != nil {
			return 0, 0, err
		}
		return parts[0].Start, len(content), nil
	}
	start, end, isFound, err := headingSpan(doc, fragment)
	if err == nil && !isFound {
		start, end, err = sectionSpan(doc, fragment)
	}
	return start, end, err
}

// lineStart returns the offset of a line, counted from 1. If the content contains fewer
// lines, the offset exceeds len(content).
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
func headingSpan(doc document.Document, anchor string) (start, end int, isFound bool, err error) {
	found, err := stages.SplitOf(context.Background(), doc)
	for _, b := range found.Blocks {
		switch {
		case isFound && b.Level > 0:
			return start, b.Start, true, nil
		case !isFound && b.Level > 0 && b.Anchor == anchor:
			start, isFound = b.Start, true
		}
	}
	if !isFound {
		return 0, 0, false, err
	}
	return start, len(doc.Content), true, err
}

// sectionSpan returns the span of the section with a slug, or an empty span.
func sectionSpan(doc document.Document, slug string) (start, end int, err error) {
	parts, err := cut(doc)
	for _, p := range parts {
		if p.Slug == slug {
			return p.Start, p.End, nil
		}
	}
	return 0, 0, err
}
