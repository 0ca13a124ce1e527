package contextfile

import "strings"

// maintenance is what a new file says of how to keep it true.
const maintenance = "Run context init to refresh the fields named in derived_fields, and edit the others by hand."

// New returns the text of a new file. Parse returns the same values, except that
// invalid UTF-8 is replaced, unless the text is longer than MaxSize. The file's
// derived_fields also names fields that may be derived later.
func New(scope, fingerprint, lastUpdated string, d Derived) []byte {
	var w blockWriter
	w.line("version: 1")
	w.line("last_updated: " + quoteDouble(lastUpdated))
	w.line("fingerprint: " + quoteDouble(fingerprint))
	said := newContext(append(d.fields(), textField("scope", scope), textField("maintenance", maintenance),
		field{"derived_fields", textListOf(d.derivable())}))
	for _, m := range schema.members {
		if v := said.find(m.name); v.kind != nothing {
			w.field(field{m.name, v})
		}
	}
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
