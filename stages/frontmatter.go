package stages

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/yaml12"
)

// maxUnfolded is the most bytes of keys and values after aliases are unfolded. Otherwise,
// aliases could turn a kilobyte of YAML into a gigabyte of metadata.
const maxUnfolded = 1 << 20

// decodeFrontMatter returns the fields of [markdown.SplitFrontMatter] as flat metadata, or nil
// if there are none. In YAML, plain scalars can be integers or null according to the core
// schema of YAML 1.2. All other scalars are text, so that dates, booleans and floats stay as
// the author wrote them. TOML and JSON follow the same rules as far as they can.
func decodeFrontMatter(text []byte) (document.Metadata, error) {
	if len(text) > yaml12.MaxSize {
		return nil, fmt.Errorf("it is larger than %d bytes", yaml12.MaxSize)
	}
	top, err := fieldsOf(text)
	if err != nil || top == nil || isNull(top) {
		return nil, err
	}
	if top.Kind != yaml.MappingNode {
		return nil, errors.New("it is not a mapping of keys to values")
	}
	f := flattener{metadata: document.Metadata{}, left: maxUnfolded}
	if err := f.add("", top); err != nil {
		return nil, err
	}
	return f.metadata, nil
}

// fieldsOf returns the root of front matter, or nil if it is empty.
func fieldsOf(text []byte) (*yaml.Node, error) {
	switch {
	case bytes.HasPrefix(text, []byte("+++")):
		return nodeOfTOML(text)
	case bytes.HasPrefix(text, []byte("{")):
		return nodeOfJSON(text)
	}
	return yaml12.First(text)
}

// A flattener turns nested fields into flat metadata.
type flattener struct {
	metadata document.Metadata
	left     int // bytes that can still be added
}

// add adds a node under key. It joins lists of scalars, and uses dotted keys for nested
// values.
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
		key := yaml12.Follow(node.Content[i])
		if key.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key that is not a scalar", key.Line)
		}
		if err := f.add(join(prefix, key.Value), node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// addList joins the scalars of a list. If the list contains anything else, it is added as a
// mapping with the keys 0, 1 and so on.
func (f *flattener) addList(key string, node *yaml.Node) error {
	var scalars []string
	for _, element := range node.Content {
		element = yaml12.Follow(element)
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

// spend counts a node. Because of aliases, the same node can come many times.
func (f *flattener) spend(key string, node *yaml.Node) error {
	if f.left -= 1 + len(key) + len(node.Value); f.left < 0 {
		return fmt.Errorf("it unfolds to more than %d bytes", maxUnfolded)
	}
	return nil
}

func (f *flattener) set(key string, value document.Value) error {
	if _, taken := f.metadata[key]; taken {
		return fmt.Errorf("duplicate key %q", key)
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

// scalarValue decides by the spelling. A scalar with a tag is text.
func scalarValue(node *yaml.Node) document.Value {
	if yaml12.SpelledKind(node) == yaml12.Int {
		if n, err := yaml12.Int64(node.Value); err == nil {
			return document.Number(n)
		}
	}
	return document.Text(node.Value)
}

func isNull(node *yaml.Node) bool { return yaml12.SpelledKind(node) == yaml12.Null }
