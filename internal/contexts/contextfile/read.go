package contextfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// A yamlValue is a node that fits its shape. Its zero value, Null, is absent.
type yamlValue struct {
	kind     yaml12.Kind
	text     string      // of a Text; of a number, its JSON
	elements []yamlValue // of a List
	members  []yamlField // of a Map, in the schema's order
	line     int         // of a Text, counted from 1
}

// A yamlField is a member of a Map.
type yamlField struct {
	name string
	yamlValue
}

// maxUnfolded bounds the bytes of a file's values after their aliases are replaced.
// Files without aliases are always smaller.
const maxUnfolded = 4 * MaxSize

// maxProblems bounds the problems of one file.
const maxProblems = 1000

// A schemaReader reads a tree by a schema and collects problems.
type schemaReader struct {
	*yamlTree
	problems []yaml12.Problem
	left     int // bytes of values that may still be read
}

func newReader(t *yamlTree) *schemaReader { return &schemaReader{yamlTree: t, left: maxUnfolded} }

// read returns the parts of node that fit the shape. Problems name the path.
func (r *schemaReader) read(node *yaml.Node, s *shape, path string) yamlValue {
	node = yaml12.Follow(node)
	r.left -= 1 + len(node.Value) + len(node.Content)
	if r.isFull() {
		return yamlValue{}
	}
	kind, _ := yaml12.KindOf(node)
	switch {
	case s.limit != nil && (kind == yaml12.Int || kind == yaml12.Float):
		return r.readNumber(node, s, path)
	case s.kind != kind || s.limit != nil:
		r.mismatch(node, s, path)
		return yamlValue{}
	case kind == yaml12.List:
		return r.readList(node, s, path)
	case kind == yaml12.Map:
		return r.readMap(node, s, path)
	}
	return r.readText(node, s, path)
}

func (r *schemaReader) isFull() bool { return r.left < 0 || len(r.problems) >= maxProblems }

func (r *schemaReader) readList(node *yaml.Node, s *shape, path string) yamlValue {
	v := yamlValue{kind: yaml12.List}
	for i, element := range node.Content {
		if r.isFull() {
			break
		}
		if read := r.read(element, s.element, path+"["+strconv.Itoa(i)+"]"); read.kind != yaml12.Null {
			v.elements = append(v.elements, read)
		}
	}
	return v
}

func (r *schemaReader) readMap(node *yaml.Node, s *shape, path string) yamlValue {
	found := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := yaml12.Follow(node.Content[i])
		kind, _ := yaml12.KindOf(key)
		if kind == yaml12.Text && s.find(key.Value) != nil {
			found[key.Value] = node.Content[i+1]
		} else if s.closed {
			p := yaml12.UnknownKey(node.Content[i], s.names(), "remove it or correct its name")
			p.Field = join(path, p.Field)
			r.add(p)
		}
	}
	v := yamlValue{kind: yaml12.Map}
	for _, m := range s.members {
		at := join(path, m.name)
		if found[m.name] == nil {
			if m.required {
				r.add(yaml12.Problem{Line: node.Line, Field: at, Message: "missing", Fix: "add it"})
			}
		} else if read := r.read(found[m.name], m.shape, at); read.kind != yaml12.Null {
			v.members = append(v.members, yamlField{m.name, read})
		}
	}
	return v
}

func (r *schemaReader) readText(node *yaml.Node, s *shape, path string) yamlValue {
	if s.oneOf != nil && !slices.Contains(s.oneOf, node.Value) {
		r.add(yaml12.Problem{Line: node.Line, Field: path, Message: "unknown word " + yaml12.Excerpt(node.Value), Fix: "write " + oneOfList(s.oneOf)})
		return yamlValue{}
	}
	return yamlValue{kind: yaml12.Text, text: node.Value, line: node.Line}
}

func (r *schemaReader) readNumber(node *yaml.Node, s *shape, path string) yamlValue {
	n := yaml12.Number(node.Value)
	within := n >= s.limit.low && n <= s.limit.high // false for NaN
	if !within || s.kind == yaml12.Int && n != math.Trunc(n) {
		message := "expected " + s.limit.want + ", got " + yaml12.Excerpt(node.Value)
		r.add(yaml12.Problem{Line: node.Line, Field: path, Message: message, Fix: "correct the number"})
		return yamlValue{}
	}
	return yamlValue{kind: s.kind, text: formatNumber(n)}
}

// formatNumber prints a number as JavaScript does.
func formatNumber(n float64) string {
	if math.IsInf(n, 1) {
		return "Infinity"
	}
	text, _ := json.Marshal(n + 0) // JavaScript prints no sign of -0; NaN is out of every range
	return string(text)
}

func (r *schemaReader) add(p yaml12.Problem) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, p)
	}
}

// finish returns the problems sorted by line.
func (r *schemaReader) finish() []yaml12.Problem {
	if r.left < 0 {
		r.problems = append(r.problems, yaml12.Problem{
			Message: fmt.Sprintf("the aliases unfold to more than %d bytes", maxUnfolded), Fix: "write the values out",
		})
	}
	slices.SortStableFunc(r.problems, func(a, b yaml12.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return r.problems
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
