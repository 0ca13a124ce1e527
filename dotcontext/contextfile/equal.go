package contextfile

import "slices"

// firstDifference returns the name of a field that a and b do not both have
// with the same value, or "".
func firstDifference(a, b *Context) string {
	for _, m := range schema.members {
		if !a.find(m.name).equal(b.find(m.name)) {
			return m.name
		}
	}
	return ""
}

func (v value) equal(w value) bool {
	return v.kind == w.kind && v.text == w.text &&
		slices.EqualFunc(v.elements, w.elements, value.equal) &&
		slices.EqualFunc(v.members, w.members, field.equal)
}

func (f field) equal(g field) bool { return f.name == g.name && f.value.equal(g.value) }
