package contextfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

// recordMark begins the comment with the checksums of derived values:
//
//	# init wrote: summary=1f3a5b7c files=9d8e7f6a
//
// Without these, an edited value would look like a value that is out of date. It is
// a comment because readers of the schema refuse unknown fields. Since it begins
// its line, it cannot be part of a continued value, whose lines are indented.
const recordMark = "# init wrote:"

// records returns the entries of all records in a text. After a merge, there can be
// two.
func (t *maskedText) records() (entries []string) {
	for line := range bytes.Lines(t.original[t.start():]) {
		if rest, ok := bytes.CutPrefix(line, []byte(recordMark)); ok {
			entries = append(entries, strings.Fields(string(rest))...)
		}
	}
	return entries
}

func recordOf(name string, v yamlValue) string {
	var e wire.Encoder
	v.encode(&e)
	sum := sha256.Sum256(e.Bytes())
	return name + "=" + hex.EncodeToString(sum[:4])
}

// Edited returns the derived fields that a person or another program wrote: their
// values are neither empty nor recorded, and differ from the values of d.
func (c *Context) Edited(d Derived) (names []string) {
	derived := d.fields()
	for _, name := range c.derived() {
		v := c.fields[name]
		if !v.isEmpty() && !v.equal(derived[name]) && !slices.Contains(c.recorded, recordOf(name, v)) {
			names = append(names, name)
		}
	}
	return names
}

func (c *Context) derived() []string {
	return slices.DeleteFunc(slices.Clone(derivable), func(name string) bool { return !slices.Contains(c.DerivedFields, name) })
}

func (v yamlValue) isEmpty() bool {
	return v.kind == yaml12.Null || v.text == "" && len(v.elements) == 0 && len(v.members) == 0
}

// RecordDerived records that a program wrote the values of the derived fields,
// except for the fields in keep. It changes no other byte, and returns text itself
// if nothing changes or unless each field begins a line. If Parse refuses the text,
// it returns Parse's error.
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
		edits = append(edits, t.replaceLines(at, at, line+t.lineFeed()))
	}
	for _, i := range old {
		edits = append(edits, t.replaceLines(i, i+1, ""))
	}
	return apply(text, edits, c)
}

// recordLine returns the line that records c, or "" if there is nothing to record.
// Other fields, and those in keep, stay recorded as before.
func (c *Context) recordLine(keep []string) string {
	var line strings.Builder
	for _, name := range derivable {
		v := c.fields[name]
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
