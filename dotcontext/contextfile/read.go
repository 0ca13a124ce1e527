package contextfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// A value is what a node says that has its shape.
type value struct {
	kind     kind
	text     string  // of words; of a number, its JSON
	elements []value // of a list
	members  []field // of an object, in the schema's order
	line     int     // of words, counted from 1
}

// A field is a member that an object has.
type field struct {
	name string
	value
}

// maxUnfolded is how many bytes the values of a file may unfold to through
// aliases. What a file says without them is always less.
const maxUnfolded = 4 * MaxSize

// maxProblems is how many problems are told of one file.
const maxProblems = 1000

// A reader reads a tree by a schema, and collects what is wrong.
type reader struct {
	*tree
	problems []Problem
	left     int // how many bytes may still unfold
}

func newReader(t *tree) *reader { return &reader{tree: t, left: maxUnfolded} }

// read returns what node says, as far as it has the shape. The path is that of
// the field, for problems.
func (r *reader) read(node *yaml.Node, s *shape, path string) value {
	node = follow(node)
	r.left -= 1 + len(node.Value) + len(node.Content)
	if r.isFull() {
		return value{}
	}
	k, _ := kindOf(node)
	switch {
	case s.kind == list && k == list:
		return r.readList(node, s, path)
	case s.kind == object && k == object:
		return r.readObject(node, s, path)
	case s.kind == words && k == words:
		return r.readWords(node, s, path)
	case s.limit != nil && (k == integer || k == float):
		return r.readNumber(node, s, path)
	}
	r.mismatch(node, s, k, path)
	return value{}
}

// isFull reports whether there is no use in reading on.
func (r *reader) isFull() bool { return r.left < 0 || len(r.problems) >= maxProblems }

func (r *reader) readList(node *yaml.Node, s *shape, path string) value {
	v := value{kind: list}
	for i, element := range node.Content {
		if r.isFull() {
			break
		}
		if read := r.read(element, s.element, path+"["+strconv.Itoa(i)+"]"); read.kind != nothing {
			v.elements = append(v.elements, read)
		}
	}
	return v
}

func (r *reader) readObject(node *yaml.Node, s *shape, path string) value {
	found := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, isText := r.keyName(node.Content[i])
		if isText && s.find(name) != nil {
			found[name] = node.Content[i+1]
		} else if s.closed {
			r.add(node.Content[i].Line, join(path, show(name)), "unknown field", "remove it or correct its name")
		}
	}
	v := value{kind: object}
	for _, m := range s.members {
		if at := found[m.name]; at != nil {
			r.readMember(&v, at, m, join(path, m.name))
		} else if m.required {
			r.add(node.Line, join(path, m.name), "missing", "add it")
		}
	}
	return v
}

func (r *reader) readMember(v *value, node *yaml.Node, m member, path string) {
	if read := r.read(node, m.shape, path); read.kind != nothing {
		v.members = append(v.members, field{m.name, read})
	}
}

// keyName returns a key as text, and whether it is text and no number or the
// like.
func (r *reader) keyName(key *yaml.Node) (string, bool) {
	key = follow(key)
	k, _ := kindOf(key)
	return r.value(key), k == words
}

func (r *reader) readWords(node *yaml.Node, s *shape, path string) value {
	text := r.value(node)
	if s.oneOf != nil && !slices.Contains(s.oneOf, text) {
		r.add(node.Line, path, "unknown word "+show(text), "write "+oneOfList(s.oneOf))
		return value{}
	}
	return value{kind: words, text: text, line: node.Line}
}

func (r *reader) readNumber(node *yaml.Node, s *shape, path string) value {
	n := parseNumber(node.Value)
	// NaN is within no limits, however they are compared.
	within := n >= s.limit.low && n <= s.limit.high
	if !within || s.kind == integer && n != math.Trunc(n) {
		r.add(node.Line, path, s.limit.message+", got "+show(node.Value), "correct the number")
		return value{}
	}
	return value{kind: s.kind, text: formatNumber(n)}
}

func (r *reader) add(line int, path, message, fix string) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, Problem{line, path, message, fix})
	}
}

// finish returns the problems sorted by line.
func (r *reader) finish() []Problem {
	if r.left < 0 {
		r.problems = append(r.problems, Problem{
			0, "",
			fmt.Sprintf("the aliases unfold to more than %d bytes", maxUnfolded), "write the values out",
		})
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return r.problems
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
