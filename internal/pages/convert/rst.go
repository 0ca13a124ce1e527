package convert

import (
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// An rstReader converts the reStructuredText that descriptions of Python packages contain:
// titles, paragraphs, lists, literal blocks, the usual directives, links and inline markup. It
// isn't a full implementation. What it doesn't know stays as text, and tables stay as they are
// in a block of code.
type rstReader struct {
	w       *markdownWriter
	lines   []string
	at      int
	depth   int               // lists and directives around the lines
	levels  *[]string         // adornments of titles in the order of their levels
	targets map[string]string // URLs by the lower-case names of links
}

// maxRSTDepth is the most lists and directives around a line. Deeper text is copied as code,
// because each level reads it again.
const maxRSTDepth = 12

var (
	rstDirective = lazy.Regexp(`^\.\. +(?:\|[^|]*\| +)?([A-Za-z][A-Za-z0-9_:+.-]*)::(?: +(.*))?$`)
	rstTarget    = lazy.Regexp("^\\.\\. +_`?([^`:]+)`?: +(\\S.*)$")
	rstBullet    = lazy.Regexp(`^(?:[-*+•]|(?:\(?(?:[0-9]{1,9}|[a-zA-Z#])[.)])) +`)
	rstField     = lazy.Regexp(`^:([A-Za-z][^:]*):(?: +(.*))?$`)
	rstTable     = lazy.Regexp(`^(?:=+ +)+=+ *$|^\+[-=+]+\+ *$`)
)

func newRSTReader(w *markdownWriter, text string) *rstReader {
	r := &rstReader{w: w, levels: &[]string{}, targets: map[string]string{}}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "        "), " \r")
		r.lines = append(r.lines, line)
		if match := rstTarget().FindStringSubmatch(line); match != nil {
			r.targets[strings.ToLower(fold(match[1]))] = match[2]
		}
	}
	return r
}

func (r *rstReader) read() {
	for r.at < len(r.lines) && !r.w.ended() {
		r.block()
	}
}

// line returns a line relative to the current one, or "" after the end.
func (r *rstReader) line(offset int) string {
	if at := r.at + offset; at < len(r.lines) {
		return r.lines[at]
	}
	return ""
}

func (r *rstReader) block() {
	line := r.line(0)
	switch {
	case line == "":
		r.at++
	case r.title():
	case strings.HasPrefix(line, ".. ") || line == "..":
		r.explicit(line)
	case isIndented(line):
		r.nested(r.indented(), "", "")
	case rstTable().MatchString(line):
		r.table()
	case isAdornment(line) && len(line) >= 4:
		r.at++
	case strings.HasPrefix(line, ">>> "):
		r.w.fence(strings.Join(r.untilBlank(), "\n"), "python")
	case rstBullet().MatchString(line):
		r.item(rstBullet().FindString(line))
	case rstField().MatchString(line):
		r.field(rstField().FindStringSubmatch(line))
	default:
		r.paragraph()
	}
}

func isIndented(line string) bool { return strings.HasPrefix(line, " ") }

// isAdornment reports whether a line repeats a punctuation character, as under a title.
func isAdornment(line string) bool {
	return len(line) > 1 && isPunctuation(line[0]) && strings.Trim(line, line[:1]) == ""
}

// title writes a title, which has a line of punctuation below it, and perhaps above it.
func (r *rstReader) title() bool {
	first, second := r.line(0), r.line(1)
	text, style, count := first, "", 0
	switch {
	case isAdornment(first) && second != "" && r.line(2) == first:
		text, style, count = strings.TrimSpace(second), "over "+first[:1], 3
	case !isIndented(first) && !isAdornment(first) && isAdornment(second) && (len(second) >= 4 || len(second) >= len(first)):
		style, count = second[:1], 2
	default:
		return false
	}
	level := slices.Index(*r.levels, style)
	if level < 0 {
		level = len(*r.levels)
		*r.levels = append(*r.levels, style)
	}
	r.w.flush()
	r.inline(text)
	r.w.endHeading(min(level+2, 6), "")
	r.at += count
	return true
}

// indented returns the next block of indented lines, without their common indentation.
func (r *rstReader) indented() (lines []string) {
	start, margin := r.at, -1
	for r.at < len(r.lines) && (r.line(0) == "" || isIndented(r.line(0))) {
		if line := r.line(0); line != "" {
			if indent := len(line) - len(strings.TrimLeft(line, " ")); margin < 0 || indent < margin {
				margin = indent
			}
		}
		r.at++
	}
	for _, line := range r.lines[start:r.at] {
		lines = append(lines, line[min(margin, len(line)):])
	}
	return trimBlank(lines)
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (r *rstReader) untilBlank() []string {
	start := r.at
	for r.at < len(r.lines) && r.line(0) != "" {
		r.at++
	}
	return r.lines[start:r.at]
}

// nested reads lines inside of a list, a directive or an indented block.
func (r *rstReader) nested(lines []string, prefix, marker string) {
	r.w.nested(prefix, marker, func() {
		if r.depth >= maxRSTDepth {
			r.w.fence(strings.Join(lines, "\n"), "text")
		} else {
			inner := &rstReader{w: r.w, lines: lines, depth: r.depth + 1, levels: r.levels, targets: r.targets}
			inner.read()
		}
	})
	r.w.marker = ""
}

// item reads an item of a list: the rest of its line, and all lines with the same indent.
func (r *rstReader) item(marker string) {
	lines := []string{r.line(0)[len(marker):]}
	r.at++
	for r.at < len(r.lines) {
		line := r.line(0)
		if line != "" && !isIndented(line) || line == "" && !isIndented(r.line(1)) {
			break
		}
		lines = append(lines, line[min(len(marker), len(line)-len(strings.TrimLeft(line, " "))):])
		r.at++
	}
	written := "- "
	if number := strings.Trim(marker, "(). "); number != "" && number[0] >= '0' && number[0] <= '9' {
		written = number + ". "
	}
	r.nested(trimBlank(lines), strings.Repeat(" ", len(written)), written)
	r.w.isTight = r.line(0) != "" && rstBullet().MatchString(r.line(0)) && len(r.w.out) > 0
}

func (r *rstReader) field(match []string) {
	r.at++
	r.w.line.open("**", ":**")
	r.inline(match[1])
	r.w.line.close()
	r.w.line.space = true
	r.inline(match[2])
	r.w.flush()
}

// table copies a table, which ends before a blank line after its border.
func (r *rstReader) table() {
	start, isGrid, borders := r.at, r.line(0)[0] == '+', 0
	for r.at < len(r.lines) {
		line := r.line(0)
		if rstTable().MatchString(line) {
			borders++
		}
		if line == "" && (isGrid || borders > 2 || borders == 2 && !strings.HasPrefix(r.lines[r.at-1], "=")) {
			break
		}
		if r.at++; line != "" && line[0] == '=' && borders > 1 && r.line(0) == "" {
			break
		}
	}
	r.w.fence(strings.Trim(cleanCode(strings.Join(r.lines[start:r.at], "\n")), "\n"), "text")
}

// paragraph reads lines up to a blank one. A literal block follows if the paragraph ends with
// "::", and a definition if the next line is indented.
func (r *rstReader) paragraph() {
	start := r.at
	for r.at++; r.at < len(r.lines) && r.line(0) != "" && !isIndented(r.line(0)); r.at++ {
	}
	text := strings.Join(r.lines[start:r.at], "\n")
	code, isCode := strings.CutSuffix(text, "::")
	switch {
	case isCode && (code == "" || strings.HasSuffix(code, " ") || strings.HasSuffix(code, "\n")):
		text = code
	case isCode:
		text = code + ":"
	}
	r.inline(text)
	r.w.flush()
	if lines := r.indentedNext(); lines != nil && isCode {
		r.w.fence(strings.Trim(cleanCode(strings.Join(lines, "\n")), "\n"), "")
	} else if lines != nil {
		r.nested(lines, "", "")
	}
}

// indentedNext returns the indented lines after blank ones, or nil if there are none.
func (r *rstReader) indentedNext() []string {
	next := 0
	for r.at+next < len(r.lines) && r.line(next) == "" {
		next++
	}
	if !isIndented(r.line(next)) {
		return nil
	}
	return r.indented()
}

// notices are directives whose text is a note for readers.
var notices = setOf("admonition", "attention", "caution", "danger", "deprecated", "error", "hint", "important", "note", "seealso", "tip",
	"versionadded", "versionchanged", "warning")

// unwritten are directives without text for readers.
var unwritten = setOf("contents", "figure", "highlight", "image", "include", "meta", "raw", "sectnum", "toctree", "unicode", "replace")

// explicit reads what begins with two periods: a directive, a target of links or a comment.
func (r *rstReader) explicit(line string) {
	r.at++
	match := rstDirective().FindStringSubmatch(line)
	lines := r.indentedNext()
	if match == nil || unwritten[match[1]] {
		return
	}
	name, argument := match[1], match[2]
	switch name {
	case "code", "code-block", "sourcecode", "parsed-literal":
		r.w.fence(strings.Trim(cleanCode(strings.Join(afterOptions(lines), "\n")), "\n"), cleanLanguage(argument))
		return
	}
	if argument == "" {
		lines = afterOptions(lines)
	} else {
		lines = append([]string{argument}, lines...)
	}
	if notices[name] && len(lines) > 0 {
		lines = slices.Clone(lines) // other blocks share the array
		lines[0] = "**" + strings.ToUpper(name[:1]) + name[1:] + ":** " + lines[0]
	}
	r.nested(lines, "", "")
}

// afterOptions returns the lines of a directive without the options at their beginning.
func afterOptions(lines []string) []string {
	for len(lines) > 0 && rstField().MatchString(lines[0]) {
		lines = lines[1:]
	}
	return trimBlank(lines)
}
