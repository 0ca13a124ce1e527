package contextfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// SetDerived returns text with the values of d in the fields that derived_fields
// names, except for the fields in keep. It removes fields that are missing in d,
// but not the summary, and inserts new fields in the schema's order. It keeps every
// byte of other fields and the comments between fields, while comments within a
// rewritten field are lost. If nothing changes, it returns text itself.
//
// If Parse refuses the text, SetDerived returns Parse's error. It also fails if it
// must change something and two fields share a line.
func SetDerived(text []byte, d Derived, keep ...string) ([]byte, error) {
	t, before, err := read(text)
	if err != nil {
		return nil, err
	}
	want := before.refresh(d, keep)
	if firstDifference(before, want) == "" {
		return text, nil
	}
	blocks, err := t.blocks()
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, name := range derivable {
		if is := want.fields[name]; !before.fields[name].equal(is) {
			edits = append(edits, t.refreshField(blocks, yamlField{name, is}))
		}
	}
	return apply(text, edits, want)
}

// A fieldRange contains the lines of a top-level field, from 0, without the
// comments and empty lines around it.
type fieldRange struct{ start, end int }

func (t *yamlTree) refreshField(blocks map[string]fieldRange, f yamlField) edit {
	at, exists := blocks[f.name]
	switch {
	case !exists:
		end := blocks[predecessor(f.name, blocks)].end
		at = fieldRange{end, end}
	case f.kind == yaml12.Text:
		// A comment after a summary of one line can stay.
		if e, err := t.replaceScalar(f.name, f.text); err == nil {
			return e
		}
	}
	indent := strings.Repeat(" ", t.top.Content[0].Column-1)
	var text string
	for _, line := range f.lines() {
		text += indent + line + t.lineFeed()
	}
	return t.replaceLines(at.start, at.end, text)
}

// predecessor returns the last field before name, in the schema's order, that
// exists. There always is one, since every file contains the version.
func predecessor(name string, blocks map[string]fieldRange) (nearest string) {
	for _, m := range schema.members {
		if m.name == name {
			break
		}
		if _, exists := blocks[m.name]; exists {
			nearest = m.name
		}
	}
	return nearest
}

// blocks returns the lines of the top-level fields.
func (t *yamlTree) blocks() (map[string]fieldRange, error) {
	content := t.top.Content
	found := map[string]fieldRange{}
	for i := 0; i+1 < len(content); i += 2 {
		key, limit := content[i], len(t.lines)
		if !t.beginsLine(key) || key.Column != content[0].Column {
			return nil, fmt.Errorf("line %d: the fields do not each begin a line of their own; "+
				"write them below each other as name: value", key.Line)
		}
		if i+2 < len(content) {
			limit = content[i+2].Line - 1
		}
		found[yaml12.Follow(key).Value] = fieldRange{key.Line - 1, t.blockEnd(key, content[i+1], limit)}
	}
	return found, nil
}

func (t *yamlTree) beginsLine(key *yaml.Node) bool {
	start := t.lines[key.Line-1]
	return t.top.Style&yaml.FlowStyle == 0 && strings.Trim(string(t.runes[start:start+key.Column-1]), " ") == ""
}

// blockEnd returns the line after the last line of a field, at most limit.
func (t *yamlTree) blockEnd(key, node *yaml.Node, limit int) int {
	for line := key.Line; line < limit; line++ {
		if isMarker(t.line(line), "...") || isMarker(t.line(line), "---") {
			limit = line
		}
	}
	end := limit
	for end > key.Line && t.isBetween(end-1, key.Column-1) {
		end--
	}
	for keepsLines(node) && end < limit && strings.TrimSpace(t.line(end)) == "" {
		end++
	}
	return end
}

// isBetween reports whether a line can stand between fields: it is empty, or a
// comment that is not indented more than they are.
func (t *yamlTree) isBetween(line, indent int) bool {
	s := t.line(line)
	return strings.TrimSpace(s) == "" || isBlankOrComment(s) && indentation(s) <= indent
}

// keepsLines reports whether the value ends with a block scalar, because this
// includes the empty lines after it.
func keepsLines(node *yaml.Node) bool {
	for len(node.Content) > 0 {
		node = node.Content[len(node.Content)-1]
	}
	return node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 &&
		(strings.HasSuffix(node.Value, "\n\n") || node.Value == "\n")
}

// replaceLines returns the edit that replaces the lines from start to end, both counted from 0.
func (t *yamlTree) replaceLines(start, end int, text string) edit {
	return edit{t.lineOffset(start), t.lineOffset(end), text, t.lineFeed()}
}

func (t *yamlTree) lineOffset(line int) int {
	if line >= len(t.lines) {
		return len(t.original)
	}
	return t.offset(t.lines[line])
}

// lineFeed returns the end of the file's first line, because new lines should end
// in the same way.
func (t *yamlTree) lineFeed() string {
	if at := slices.Index(t.runes, '\n'); at > 0 && t.runes[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
