package contextfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SetDerived returns text with those fields of d refreshed that its
// derived_fields names. A field that d has no more is removed, but for the
// summary, which a file must have; one that is new is inserted where the schema
// has it. Every byte of the other fields stays, and so do the comments between
// fields; comments within a field that is rewritten go. If nothing changes the
// result is text itself.
//
// Text that Parse refuses gets Parse's error. It is an error too if a change is
// due and the fields do not each begin a line of their own.
func SetDerived(text []byte, d Derived) ([]byte, error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, err
	}
	before, err := readContext(t)
	if err != nil {
		return nil, err
	}
	want := before.refresh(d)
	if firstDifference(before, want) == "" {
		return text, nil
	}
	edits, err := t.refreshFields(before, want)
	if err != nil {
		return nil, err
	}
	after := apply(text, edits)
	if err := verify(after, want); err != nil {
		return nil, err
	}
	return after, nil
}

// refreshFields returns the edits that make a file say want instead of before.
func (t *tree) refreshFields(before, want *Context) ([]edit, error) {
	blocks, err := t.blocks()
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, name := range derivable {
		was, is := before.find(name), want.find(name)
		if was.equal(is) {
			continue
		}
		edits = append(edits, t.refreshField(blocks, field{name, is}))
	}
	return t.endLastLine(edits), nil
}

func (t *tree) refreshField(blocks map[string]block, f field) edit {
	at, there := blocks[f.name]
	switch {
	case !there:
		end := blocks[predecessor(f.name, blocks)].end
		return t.lineEdit(block{end, end}, t.write(f))
	case f.kind == nothing:
		return t.lineEdit(at, "")
	case f.kind == words:
		// A comment after a summary of one line can stay.
		if e, err := t.replaceScalar(f.name, f.text); err == nil {
			return e
		}
	}
	return t.lineEdit(at, t.write(f))
}

// predecessor returns the field that is nearest before name in the schema, of those
// there are. The version always is.
func predecessor(name string, blocks map[string]block) string {
	nearest := ""
	for _, m := range schema.members {
		if m.name == name {
			break
		}
		if _, there := blocks[m.name]; there {
			nearest = m.name
		}
	}
	return nearest
}

// A block is the lines of a top-level field, from 0, without the comments and
// empty lines around it.
type block struct{ start, end int }

// blocks returns where the top-level fields stand.
func (t *tree) blocks() (map[string]block, error) {
	content := t.top.Content
	found := map[string]block{}
	for i := 0; i+1 < len(content); i += 2 {
		key, limit := content[i], len(t.lines)
		if !t.beginsLine(key) || key.Column != content[0].Column {
			return nil, fmt.Errorf("line %d: the fields do not each begin a line of their own; "+
				"write them below each other as name: value", key.Line)
		}
		if i+2 < len(content) {
			limit = content[i+2].Line - 1
		}
		found[follow(key).Value] = block{key.Line - 1, t.blockEnd(key, content[i+1], limit)}
	}
	return found, nil
}

// beginsLine reports whether only spaces stand before key.
func (t *tree) beginsLine(key *yaml.Node) bool {
	if t.top.Style&yaml.FlowStyle != 0 {
		return false
	}
	start := t.lines[key.Line-1]
	return strings.Trim(string(t.runes[start:start+key.Column-1]), " ") == ""
}

// blockEnd returns the line after the last one of a field, which is at most
// limit.
func (t *tree) blockEnd(key, node *yaml.Node, limit int) int {
	for line := key.Line; line < limit; line++ {
		if isMarker(t.line(line), "...") || isMarker(t.line(line), "---") {
			limit = line
		}
	}
	end := limit
	for end > key.Line && t.isBetween(end-1, key.Column-1) {
		end--
	}
	if keepsLines(node) {
		for end < limit && strings.TrimSpace(t.line(end)) == "" {
			end++
		}
	}
	return end
}

// isBetween reports whether a line can stand between fields: it is empty, or a
// comment that is not indented more than they are.
func (t *tree) isBetween(line, indent int) bool {
	content := strings.TrimLeft(t.line(line), " ")
	if strings.TrimSpace(content) == "" {
		return true
	}
	return content[0] == '#' && len(t.line(line))-len(content) <= indent
}

// keepsLines reports whether the value ends with a block scalar that has the
// empty lines after it as a part.
func keepsLines(node *yaml.Node) bool {
	for len(node.Content) > 0 {
		node = node.Content[len(node.Content)-1]
	}
	return node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 &&
		(strings.HasSuffix(node.Value, "\n\n") || node.Value == "\n")
}

// lineEdit returns the edit that replaces whole lines.
func (t *tree) lineEdit(at block, text string) edit {
	return edit{t.lineOffset(at.start), t.lineOffset(at.end), text}
}

// endLastLine adds the end of the last line to the edits if they add lines
// after it and it has none.
func (t *tree) endLastLine(edits []edit) []edit {
	size := len(t.original)
	if bytes.HasSuffix(t.original, []byte("\n")) {
		return edits
	}
	adds := false
	for _, e := range edits {
		if e.end == size && e.start < size && (e.text == "" || strings.HasSuffix(e.text, "\n")) {
			return edits // the last line is replaced with lines that end
		}
		adds = adds || e.start == size
	}
	if !adds {
		return edits
	}
	return slices.Concat([]edit{{size, size, t.lineFeed()}}, edits)
}

func (t *tree) lineOffset(line int) int {
	if line >= len(t.lines) {
		return len(t.original)
	}
	return t.offset(t.lines[line])
}

// lineFeed returns what ends the file's lines: what ends the first.
func (t *tree) lineFeed() string {
	if at := slices.Index(t.runes, '\n'); at > 0 && t.runes[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// write returns the lines of a field, as far indented as the file's fields.
func (t *tree) write(f field) string {
	w := blockWriter{
		indent: strings.Repeat(" ", t.top.Content[0].Column-1),
		end:    t.lineFeed(),
	}
	w.field(f)
	return w.String()
}
