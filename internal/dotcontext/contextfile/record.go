package contextfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/wire"
	"github.com/contextcompiler/context/internal/yaml12"
)

// recordMark begins the comment with the checksums of the values that a program wrote:
//
//	# init wrote: summary=1f3a5b7c files=9d8e7f6a
//
// Without it, a value that was edited looks like a value that is out of date. It is
// a comment because readers of the schema refuse unknown fields. It begins its line,
// so it cannot be part of a value that continues: such lines are indented.
const recordMark = "# init wrote:"

// records returns the entries of all records in a text. A merge can leave two.
func (t *maskedText) records() (entries []string) {
	for line := range bytes.Lines(t.original[t.start():]) {
		if rest, ok := bytes.CutPrefix(line, []byte(recordMark)); ok {
			entries = append(entries, strings.Fields(string(rest))...)
		}
	}
	return entries
}

// recordOf returns the entry of a field with a value in a record.
func recordOf(name string, v yamlValue) string {
	var e wire.Encoder
	v.encode(&e)
	sum := sha256.Sum256(e.Bytes())
	return name + "=" + hex.EncodeToString(sum[:4])
}

// Edited returns the derived fields whose values a person or another program
// wrote: they are not empty, differ from those of d, and are not recorded.
func (c *Context) Edited(d Derived) (names []string) {
	derived := newContext(d.fields())
	for _, name := range c.derived() {
		v := c.find(name)
		if !v.isEmpty() && !v.equal(derived.find(name)) && !slices.Contains(c.recorded, recordOf(name, v)) {
			names = append(names, name)
		}
	}
	return names
}

// derived returns the derivable fields that c calls derived.
func (c *Context) derived() []string {
	return slices.DeleteFunc(slices.Clone(derivable), func(name string) bool { return !slices.Contains(c.DerivedFields, name) })
}

// isEmpty reports whether v says nothing.
func (v yamlValue) isEmpty() bool {
	return v.kind == yaml12.Null || v.text == "" && len(v.elements) == 0 && len(v.members) == 0
}

// RecordDerived records the values of the derived fields, except for those in keep,
// as written by a program. It changes no other byte, and returns text itself if
// nothing changes or if the fields do not each begin a line. Text that Parse
// refuses gets Parse's error.
func RecordDerived(text []byte, keep ...string) ([]byte, error) {
	t, c, err := read(text)
	if err != nil {
		return nil, err
	}
	blocks, err := t.blocks()
	if err != nil {
		return text, nil
	}
	var old []int
	for i := range t.lines {
		if strings.HasPrefix(t.line(i), recordMark) {
			old = append(old, i)
		}
	}
	line := c.recordLine(keep)
	if line == "" && len(old) == 0 || len(old) == 1 && t.line(old[0]) == line {
		return text, nil
	}
	at := blocks["derived_fields"].end
	if len(old) > 0 {
		at = old[0]
	}
	var edits []edit
	if line != "" {
		edits = append(edits, edit{t.lineOffset(at), t.lineOffset(at), line + t.lineFeed()})
	}
	for _, i := range old {
		edits = append(edits, edit{t.lineOffset(i), t.lineOffset(i + 1), ""})
	}
	return apply(text, t.endLastLine(edits), c)
}

// recordLine returns the line that records c, "" if there is nothing to record.
// Fields that are not derived, and those in keep, stay recorded as they are.
func (c *Context) recordLine(keep []string) string {
	var line strings.Builder
	for _, name := range derivable {
		v := c.find(name)
		at := slices.IndexFunc(c.recorded, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		switch refreshed := slices.Contains(c.derived(), name) && !slices.Contains(keep, name); {
		case refreshed && v.kind != yaml12.Null:
			line.WriteString(" " + recordOf(name, v))
		case !refreshed && at >= 0:
			line.WriteString(" " + c.recorded[at])
		}
	}
	if line.Len() == 0 {
		return ""
	}
	return recordMark + line.String()
}
