package contextfile

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// checkLayout finds lines that continue a quoted scalar, brackets or braces
// without being indented more than the block they stand in. YAML demands it, the
// library does not. A closing bracket alone may stand at the block's own
// indentation, as most readers allow.
func (t *tree) checkLayout(node *yaml.Node, at site) error {
	if at.flow || at.indent < 0 || node.Style&(yaml.FlowStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return nil
	}
	start, err := t.index(node.Line, node.Column)
	if err != nil {
		return invalid(0, "", err.Error(), "")
	}
	end := t.flowEnd(t.afterProperties(start))
	for line := node.Line; line < len(t.lines) && t.lines[line] < end; line++ {
		if !t.isIndented(line, end, at.indent) {
			return invalid(line+1, "", "a continued line that is not indented", "indent it with spaces")
		}
	}
	return nil
}

// indentOf returns the column, from 0, that the entries of a collection stand
// at. The library's position is that of its anchor or tag if it has one, and a
// block with one of these begins on the line after it.
func (t *tree) indentOf(node *yaml.Node) int {
	named := node.Anchor != "" || node.Style&yaml.TaggedStyle != 0
	if !named || node.Style&yaml.FlowStyle != 0 || len(node.Content) == 0 {
		return node.Column - 1
	}
	line := t.line(node.Content[0].Line - 1)
	return len(line) - len(strings.TrimLeft(line, " "))
}

// isIndented reports whether a line that continues a flow may stand as it does.
func (t *tree) isIndented(line, end, indent int) bool {
	content := strings.TrimLeft(t.line(line), " ")
	depth := len(t.line(line)) - len(content)
	closes := t.lines[line]+depth == end-1 && strings.ContainsAny(content[:min(1, len(content))], "]}")
	switch {
	case strings.TrimSpace(content) == "", content[0] == '#':
		return true
	case closes:
		return depth >= indent
	}
	return depth > indent
}

// afterProperties returns the index of a node's own text: past its anchor and
// its tag, and the blanks and line ends that follow them.
func (t *text) afterProperties(index int) int {
	for index < len(t.runes) && (t.runes[index] == '&' || t.runes[index] == '!') {
		for index < len(t.runes) && !isSpace(t.runes[index]) {
			index++
		}
		for index < len(t.runes) && isSpace(t.runes[index]) {
			index++
		}
	}
	return index
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\n' }

// flowEnd returns the index after the quoted scalar, brackets or braces that
// begin at index. The text must be YAML.
func (t *text) flowEnd(index int) int {
	depth := 0
	for index < len(t.runes) {
		switch r := t.runes[index]; {
		case r == '"' || r == '\'':
			index = t.quotedEnd(index)
		case r == '[' || r == '{':
			depth++
			index++
		case r == ']' || r == '}':
			depth--
			index++
		case r == '#' && index > 0 && isSpace(t.runes[index-1]):
			index = t.lineEnd(index)
			continue
		case r == '&' || r == '*' || r == '!':
			index = t.propertyEnd(index)
			continue
		case isSpace(r) || r == ',' || r == ':' || r == '?':
			index++
			continue
		default:
			index = t.plainEnd(index)
		}
		if depth <= 0 {
			return index
		}
	}
	return index
}

// propertyEnd returns the index after the anchor, alias or tag at index, which
// stands within brackets or braces.
func (t *text) propertyEnd(index int) int {
	stops := " \t\r\n,[]{}"
	if t.hasAt(index, "!<") {
		stops = "> \t\r\n"
	}
	for index < len(t.runes) && !strings.ContainsRune(stops, t.runes[index]) {
		index++
	}
	if stops[0] == '>' {
		index++
	}
	return index
}

// quotedEnd returns the index after the quoted scalar at index.
func (t *text) quotedEnd(index int) int {
	quote := t.runes[index]
	for index++; index < len(t.runes); index++ {
		switch t.runes[index] {
		case '\\':
			if quote == '"' {
				index++
			}
		case quote:
			if quote == '"' || index+1 >= len(t.runes) || t.runes[index+1] != quote {
				return index + 1
			}
			index++
		}
	}
	return index
}

// plainEnd returns the index after the plain scalar at index, which stands
// within brackets or braces.
func (t *text) plainEnd(index int) int {
	for ; index < len(t.runes); index++ {
		switch r := t.runes[index]; {
		case strings.ContainsRune(",[]{}", r):
			return index
		case r == '#' && isSpace(t.runes[index-1]):
			return index
		case r == ':' && t.endsKey(index+1):
			return index
		}
	}
	return index
}

// endsKey reports whether a colon before index ends a key within a flow.
func (t *text) endsKey(index int) bool {
	return index >= len(t.runes) || isSpace(t.runes[index]) || strings.ContainsRune(",[]{}", t.runes[index])
}

func (t *text) lineEnd(index int) int {
	for index < len(t.runes) && t.runes[index] != '\n' {
		index++
	}
	return index
}
