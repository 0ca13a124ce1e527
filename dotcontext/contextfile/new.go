package contextfile

import "strings"

// maintenance is what a new file says of how to keep it true.
const maintenance = "Run context init to refresh the fields named in derived_fields, and edit the others by hand."

// New returns the text of a new file. Parse gives back what went in, but for
// what is no UTF-8, unless the text is longer than MaxSize. The file's
// derived_fields also names what there may be to derive later.
func New(scope, fingerprint, lastUpdated string, d Derived) []byte {
	var w blockWriter
	w.line("version: 1")
	w.line("last_updated: " + quoteDouble(lastUpdated))
	w.line("fingerprint: " + quoteDouble(fingerprint))
	w.field(textField("scope", scope))
	fields := d.fields()
	w.field(fields[0])
	w.field(textField("maintenance", maintenance))
	w.members(fields[1:])
	names := value{kind: list}
	for _, name := range d.derivable() {
		names.elements = append(names.elements, textValue(name))
	}
	w.field(field{"derived_fields", names})
	return []byte(w.String())
}

// A blockWriter writes YAML in block style.
type blockWriter struct {
	strings.Builder
	indent string
	end    string // of a line; "" for a line feed
}

func (w *blockWriter) line(s string) {
	w.WriteString(w.indent + s)
	if w.end == "" {
		w.end = "\n"
	}
	w.WriteString(w.end)
}

func (w *blockWriter) field(f field) {
	switch f.kind {
	case words:
		w.line(f.name + ": " + quoteIfNeeded(f.text))
	case list:
		w.line(f.name + ":")
		for _, element := range f.elements {
			w.nest("  ", func() { w.element(element) })
		}
	case object:
		w.line(f.name + ":")
		w.nest("  ", func() { w.members(f.members) })
	}
}

// element writes an entry of a list. The first member of an object stands on
// the line of the hyphen.
func (w *blockWriter) element(v value) {
	if v.kind == words {
		w.line("- " + quoteIfNeeded(v.text))
		return
	}
	first := v.members[0]
	w.line("- " + first.name + ": " + quoteIfNeeded(first.text))
	w.nest("  ", func() { w.members(v.members[1:]) })
}

func (w *blockWriter) members(fields []field) {
	for _, f := range fields {
		w.field(f)
	}
}

func (w *blockWriter) nest(more string, write func()) {
	w.indent += more
	write()
	w.indent = strings.TrimSuffix(w.indent, more)
}
