package convert

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"
)

// pythonHeaders are the headers of a METADATA file for its page.
type pythonHeaders struct {
	name, version, summary, homePage, requiresPython, contentType, description string

	urls   []string // a label, a comma and a URL
	extras []string
}

// convertMetadata converts the METADATA of an installed Python package. Its description is what
// the package index shows, usually the README. Markdown is copied, and reStructuredText, which is
// the default, is converted by [rstReader].
func convertMetadata(ctx context.Context, content []byte) (Converted, error) {
	if !utf8.Valid(content) {
		return Converted{}, errors.New("METADATA: not valid UTF-8")
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	head, body, _ := strings.Cut(text, "\n\n")
	h := readPythonHeaders(head)
	if h.name == "" {
		return Converted{}, skip("not the metadata of a Python package")
	}
	if text := strings.TrimSpace(body); text != "" && text != unknown {
		h.description = body
	}
	w := &markdownWriter{ctx: ctx, anchors: map[string]bool{}}
	w.line.write(h.name)
	w.endHeading(1, "")
	h.write(w)
	writeDescription(w, h.description, h.contentType)
	return w.converted(fold(h.name), map[string]string{"description": fold(h.summary)})
}

// unknown is how old tools write a value that is missing.
const unknown = "UNKNOWN"

// readPythonHeaders reads headers in the form of e-mail, which can continue on indented lines.
func readPythonHeaders(head string) (h pythonHeaders) {
	single := map[string]*string{
		"name": &h.name, "version": &h.version, "summary": &h.summary, "home-page": &h.homePage, "requires-python": &h.requiresPython,
		"description-content-type": &h.contentType, "description": &h.description,
	}
	several := map[string]*[]string{"project-url": &h.urls, "provides-extra": &h.extras}
	var name string
	var value []string
	keep := func() {
		text := strings.TrimSpace(strings.Join(value, "\n"))
		if text == unknown {
			return
		}
		if to := single[name]; to != nil && *to == "" {
			*to = text
		} else if to := several[name]; to != nil {
			*to = append(*to, fold(text))
		}
	}
	for line := range strings.SplitSeq(head, "\n") {
		if line != "" && (line[0] == ' ' || line[0] == '\t') {
			continued := strings.TrimPrefix(line, "        ")
			value = append(value, strings.TrimPrefix(continued, "|"))
			continue
		}
		keep()
		key, rest, _ := strings.Cut(line, ":")
		name, value = strings.ToLower(key), []string{strings.TrimSpace(rest)}
	}
	keep()
	return h
}

// write writes the headers for people who should use the package.
func (h pythonHeaders) write(w *markdownWriter) {
	w.line.write(h.summary)
	w.flush()
	facts := []string{"Version: " + codeOf(h.version)}
	if h.requiresPython != "" {
		facts = append(facts, "Requires Python "+codeOf(h.requiresPython))
	}
	if len(h.extras) > 0 {
		facts = append(facts, "Install extras with "+codeOf("pip install "+h.name+"["+strings.Join(h.extras, ",")+"]"))
	}
	w.lines(strings.Join(facts, ". ") + ".")
	links := h.urls
	if h.homePage != "" {
		links = append([]string{"Home page, " + fold(h.homePage)}, links...)
	}
	for i, link := range links {
		label, url, found := strings.Cut(link, ",")
		if !found {
			continue
		}
		if i > 0 {
			w.line.raw("| ")
		}
		w.line.wrap("[", label, "]("+w.target(url)+")")
		w.line.space = true
	}
	w.flush()
}

// writeDescription writes a description by its content type, such as "text/markdown;
// charset=UTF-8".
func writeDescription(w *markdownWriter, text, contentType string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(kind) {
	case "text/markdown":
		w.lines(closeFence(text)...)
	case "text/plain":
		w.fence(cleanCode(text), "text")
	default:
		newRSTReader(w, text).read()
	}
}
