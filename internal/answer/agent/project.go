package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// A ProjectReader reads the contexts of the directories of a code project. A scope is the path of a
// directory, or "." for the root. A state is a word such as fresh or stale.
type ProjectReader interface {
	// EachContext calls yield for each directory, sorted by scope. The summary is "" if the
	// directory has no context.
	EachContext(ctx context.Context, yield func(scope, state, summary string)) error
	// ContextText returns the context of a directory exactly as its file contains it, its scope in
	// canonical form, and its state. It fails with [fault.Stale] if the context is missing, and
	// with [fault.ContextInvalid].
	ContextText(ctx context.Context, scope string) (text []byte, canonical, state string, err error)
}

// A ProjectError is a failure to read the project of a request.
type ProjectError struct{ error }

func (e ProjectError) Unwrap() error { return e.error }

// projectPrefix precedes scopes, like the name of a cache precedes IDs.
const projectPrefix = "project:"

// longestSummary is the maximum size in bytes of a summary in an outline.
const longestSummary = 160

// outlineProject returns a line for each context of a project, below an explanation. If they don't
// fit into room bytes, it leaves out the contexts farthest from the root.
func outlineProject(ctx context.Context, project ProjectReader, room int, showStates bool) (*Answer, error) {
	type line struct {
		depth int
		text  string
	}
	var lines []line
	missing := 0
	err := project.EachContext(ctx, func(scope, state, summary string) {
		if summary == "" {
			missing++
			return
		}
		if showStates {
			summary = "(" + state + ") " + summary
		}
		text := projectPrefix + words.Printable(scope) + " " + clip(words.Printable(summary), longestSummary)
		lines = append(lines, line{strings.Count(scope, "/"), text})
	})
	if err != nil {
		return nil, ProjectError{err}
	}
	var a Answer
	a.note("%s of directories, %s missing. Read takes %sSCOPE.", count(len(lines), "context"), thousands(missing), projectPrefix)
	more := func(n int) string { return thousands(n) + " more" }
	room -= a.size() + len(more(len(lines))) + 1
	byDepth := func(a, b line) int { return cmp.Compare(a.depth, b.depth) }
	fit, others := fitting(lines, byDepth, func(l line) int { return len(l.text) + 1 }, room)
	for _, l := range fit {
		a.note("%s", l.text)
	}
	if len(others) > 0 {
		a.note("%s", more(len(others)))
	}
	return &a, nil
}

// A contextText is a range of lines in a context.
type contextText struct {
	scope, state string
	text         []byte // whole context
	start, end   int    // offsets of the lines
}

// contextReference matches a scope, and optionally lines of its context.
var contextReference = lazy.Regexp(`(?s)^(?:project:)?(.*?)(?:(?:#L|:)([0-9]{1,9})(?:-L?([0-9]{1,9})|(\.\.))?)?$`)

// findContext returns the text named by a reference in a project:
//
//	project:src/api          the context of a directory; "project:" is optional
//	project:src/api:3-9      lines, as answers print them; or project:src/api#L3-L9
//	project:src/api#L3..     the rest from a line on
//
// It fails like ContextText, but with an [ArgumentError] for an invalid context.
func findContext(ctx context.Context, project ProjectReader, reference string) (contextText, error) {
	parts := contextReference().FindStringSubmatch(reference)
	text, scope, state, err := project.ContextText(ctx, parts[1])
	if err != nil && fault.CodeOf(err) == fault.ContextInvalid {
		return contextText{}, argumentErrorf("%v", err)
	}
	if err != nil {
		return contextText{}, ProjectError{err}
	}
	c := contextText{scope, state, text, 0, len(text)}
	if parts[2] != "" {
		first, _ := strconv.Atoi(parts[2])
		last, _ := strconv.Atoi(cmp.Or(parts[3], parts[2]))
		if c.start = offsetOfLine(text, first); c.start == len(text) {
			return c, argumentErrorf("%s%s has %s", projectPrefix, scope, count(bytes.Count(text, []byte("\n")), "line"))
		}
		if parts[4] == "" {
			c.end = max(c.start, offsetOfLine(text, last+1))
		}
	}
	return c, nil
}

// offsetOfLine returns the offset of a line, counted from 1, or the length of text.
func offsetOfLine(text []byte, line int) (offset int) {
	for ; line > 1 && offset < len(text); line-- {
		offset = lineEnd(text, offset) + 1
	}
	return min(offset, len(text))
}

// take ends between two fields, or between two lines if not even the first field fits.
func (c contextText) take(tokens int) (it PageText, note AnswerLine) {
	name := projectPrefix + c.scope
	about := name + " is " + c.state
	if c.state != "fresh" {
		about += ": files of the directory have changed since, so look at them"
	}
	fields, lines := c.ends()
	end, isFit := lastEnd(func(end int) bool { return tokensOf(end-c.start) <= tokens }, fields, lines)
	if !isFit {
		return PageText{}, lineOf("%s; it does not fit: give more max_tokens", about)
	}
	line := func(offset int) int { return 1 + bytes.Count(c.text[:offset], []byte("\n")) }
	it = PageText{
		Page: projectPrefix + c.scope, Headings: []string{".context.yaml"},
		Lines: LineRange{line(c.start), line(end - 1)}, Content: c.text[c.start:end],
	}
	if len(it.Content) == len(c.text) {
		it.Versions = []string{shortVersion(document.VersionOf(c.text))}
	}
	if end < c.end {
		about += fmt.Sprintf("; %s#L%d.. reads on, %s tokens", name, line(end), thousands(tokensOf(c.end-end)))
	}
	return it, lineOf("%s", about)
}

// ends returns where fields and lines end in the text. A field begins with a letter.
func (c contextText) ends() (fields, lines []int) {
	for at := c.start; at < c.end; {
		at = min(lineEnd(c.text, at)+1, c.end)
		lines = append(lines, at)
		if at == c.end || 'a' <= c.text[at]|0x20 && c.text[at]|0x20 <= 'z' {
			fields = append(fields, at)
		}
	}
	return fields, lines
}

// unknownContext returns the error for a reference without a context. It lists similar scopes.
func unknownContext(ctx context.Context, project ProjectReader, reference string) error {
	var scopes []string
	err := project.EachContext(ctx, func(scope, _, summary string) {
		if summary != "" {
			scopes = append(scopes, scope)
		}
	})
	if err != nil {
		return ProjectError{err}
	}
	scope := clip(strings.TrimPrefix(reference, projectPrefix), longestPath)
	near := nearestNames(scope, scopes)
	if len(near) == 0 {
		return argumentErrorf("no context %s: outline lists them", scope)
	}
	return argumentErrorf("no context %s; nearest: %s", scope, projectPrefix+strings.Join(near, ", "+projectPrefix))
}
