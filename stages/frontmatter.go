package stages

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/document"
)

// maxFrontMatter is how many bytes front matter may have: its tree takes a hundred
// times the memory.
const maxFrontMatter = 1 << 20

// maxUnfolded is how many bytes of keys and values front matter may unfold to:
// aliases can make a kilobyte of YAML a gigabyte of metadata.
const maxUnfolded = 1 << 20

// decodeFrontMatter returns the YAML mapping as flat metadata, nil if it is
// empty. The rules are those of YAML 1.2's core schema: a plain scalar is an
// integer or null or else its own text, so dates, booleans and floats stay as
// their author wrote them.
func decodeFrontMatter(text []byte) (document.Metadata, error) {
	if len(text) > maxFrontMatter {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFrontMatter)
	}
	var root yaml.Node
	if err := unmarshal(text, &root); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 || isNull(root.Content[0]) {
		return nil, nil
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, errors.New("it is no mapping of keys to values")
	}
	f := flattener{metadata: document.Metadata{}, left: maxUnfolded}
	if err := f.add("", top); err != nil {
		return nil, err
	}
	return f.metadata, nil
}

// unmarshal parses YAML, which the library fails on with an error or, rarely,
// with a panic.
func unmarshal(text []byte, root *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return yaml.Unmarshal(text, root)
}

// A flattener turns nested YAML into flat metadata.
type flattener struct {
	metadata document.Metadata
	left     int // how many bytes may still come
}

// add puts node under key: a scalar as it is, a list of scalars joined, and
// what is nested under dotted keys.
func (f *flattener) add(key string, node *yaml.Node) error {
	if err := f.spend(key, node); err != nil {
		return err
	}
	switch node.Kind {
	case yaml.AliasNode:
		return f.add(key, node.Alias)
	case yaml.MappingNode:
		return f.addMapping(key, node)
	case yaml.SequenceNode:
		return f.addList(key, node)
	}
	if isNull(node) {
		return nil
	}
	return f.set(key, scalarValue(node))
}

func (f *flattener) addMapping(prefix string, node *yaml.Node) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := follow(node.Content[i])
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key that is no scalar", key.Line)
		}
		if err := f.add(join(prefix, key.Value), node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// addList joins the scalars of a list. A list that holds anything else has its
// elements numbered from 0, like the keys of a mapping.
func (f *flattener) addList(key string, node *yaml.Node) error {
	var scalars []string
	for _, element := range node.Content {
		element = follow(element)
		if element.Kind != yaml.ScalarNode {
			return f.addNumbered(key, node)
		}
		if err := f.spend("", element); err != nil {
			return err
		}
		if !isNull(element) {
			scalars = append(scalars, scalarValue(element).String())
		}
	}
	return f.set(key, document.Text(strings.Join(scalars, ", ")))
}

func (f *flattener) addNumbered(key string, node *yaml.Node) error {
	for i, element := range node.Content {
		if err := f.add(join(key, strconv.Itoa(i)), element); err != nil {
			return err
		}
	}
	return nil
}

// spend accounts for a node, which may be met many times.
func (f *flattener) spend(key string, node *yaml.Node) error {
	if f.left -= 1 + len(key) + len(node.Value); f.left < 0 {
		return fmt.Errorf("it unfolds to more than %d bytes", maxUnfolded)
	}
	return nil
}

func (f *flattener) set(key string, value document.Value) error {
	if _, taken := f.metadata[key]; taken {
		return fmt.Errorf("the key %q stands twice", key)
	}
	f.metadata[key] = value
	return nil
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// follow returns the node that an alias stands for, or node itself.
func follow(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// coreInteger is an integer of YAML 1.2's core schema (section 10.3.2).
var coreInteger = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)

// isNull reports whether node is null: of the core schema's spellings, those
// that are not quoted.
func isNull(node *yaml.Node) bool {
	if node.Kind != yaml.ScalarNode || !isPlain(node) {
		return false
	}
	switch node.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// isPlain reports whether the scalar is written without quotes and without a
// tag, so that its spelling decides what it is.
func isPlain(node *yaml.Node) bool { return node.Style == 0 }

func scalarValue(node *yaml.Node) document.Value {
	if isPlain(node) && coreInteger.MatchString(node.Value) {
		if n, err := parseInteger(node.Value); err == nil {
			return document.Number(n)
		}
	}
	return document.Text(node.Value)
}

// parseInteger parses what coreInteger matches. An integer of more than 64
// bits is an error.
func parseInteger(s string) (int64, error) {
	switch {
	case strings.HasPrefix(s, "0o"):
		return strconv.ParseInt(s[len("0o"):], 8, 64)
	case strings.HasPrefix(s, "0x"):
		return strconv.ParseInt(s[len("0x"):], 16, 64)
	}
	return strconv.ParseInt(s, 10, 64)
}
