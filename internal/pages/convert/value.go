package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// An orderedValue is a value of YAML or JSON whose keys are in the order of the file. You can call
// its methods on nil, which stands for a missing value.
type orderedValue struct {
	text   string          // of a scalar
	keys   []string        // of a mapping
	values []*orderedValue // of a mapping or list
	isMap  bool
	isList bool
	index  map[string]*orderedValue // of a mapping
}

func (v *orderedValue) get(key string) *orderedValue {
	if v == nil {
		return nil
	}
	return v.index[key]
}

func (v *orderedValue) str(key string) string { return v.get(key).scalar() }

func (v *orderedValue) scalar() string {
	if v == nil {
		return ""
	}
	return v.text
}

func (v *orderedValue) list() []*orderedValue {
	if v == nil {
		return nil
	}
	return v.values
}

// pairs calls yield for the keys of a mapping in order.
func (v *orderedValue) pairs(yield func(string, *orderedValue) bool) {
	if v == nil || !v.isMap {
		return
	}
	for i, key := range v.keys {
		if !yield(key, v.values[i]) {
			return
		}
	}
}

func (v *orderedValue) set(key string, to *orderedValue) error {
	if v.index == nil {
		v.isMap, v.index = true, map[string]*orderedValue{}
	}
	if _, found := v.index[key]; found {
		return fmt.Errorf("duplicate key %.100q", key)
	}
	v.keys, v.values = append(v.keys, key), append(v.values, to)
	v.index[key] = to
	return nil
}

const (
	// maxValues is the most values of a document. It bounds the memory of the tree.
	maxValues = 1 << 20

	// maxLevels is the most mappings and lists around a value.
	maxLevels = 200
)

// readJSON reads a document of JSON.
func readJSON(content []byte) (*orderedValue, error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	r := valueReader{}
	v, err := r.json(d, 0)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return v, nil
		} else if err == nil {
			err = errors.New("text after the end of the document")
		}
	}
	line := 1 + bytes.Count(content[:min(int(d.InputOffset()), len(content))], []byte("\n"))
	return nil, fmt.Errorf("line %d: %w", line, err)
}

// A valueReader counts the values that it reads.
type valueReader struct{ count int }

func (r *valueReader) check(level int) error {
	if r.count++; r.count > maxValues {
		return fmt.Errorf("more than %d values", maxValues)
	}
	if level > maxLevels {
		return fmt.Errorf("nested deeper than %d levels", maxLevels)
	}
	return nil
}

func (r *valueReader) json(d *json.Decoder, level int) (*orderedValue, error) {
	if err := r.check(level); err != nil {
		return nil, err
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	bracket, isContainer := token.(json.Delim)
	switch {
	case token == nil:
		return &orderedValue{text: "null"}, nil
	case !isContainer:
		return &orderedValue{text: fmt.Sprint(token)}, nil
	}
	v := &orderedValue{isMap: bracket == '{', isList: bracket == '['}
	for d.More() {
		key := ""
		if v.isMap {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			key, _ = token.(string)
		}
		item, err := r.json(d, level+1)
		if err != nil {
			return nil, err
		}
		if v.isList {
			v.values = append(v.values, item)
		} else if err := v.set(key, item); err != nil {
			return nil, err
		}
	}
	_, err = d.Token()
	return v, err
}

// readYAML reads a document of YAML.
func readYAML(content []byte) (*orderedValue, error) {
	if count := marks(content); count > maxValues { // before the library allocates a node for each
		return nil, fmt.Errorf("more than %d lines and values", maxValues)
	}
	root, err := yaml12.First(content)
	if root == nil {
		return &orderedValue{}, err
	}
	r := valueReader{}
	return r.yaml(root, 0)
}

// marks counts the characters that can begin a value.
func marks(content []byte) (count int) {
	for i, c := range content {
		switch c {
		case '\n', ',', '[', '{':
			count++
		case ':':
			if i+1 == len(content) || isSpace(content[i+1]) {
				count++
			}
		}
	}
	return count
}

// yaml converts a node. It follows aliases, so a small document can stand for billions of values
// or contain itself. Therefore, check must count the values after their aliases.
func (r *valueReader) yaml(n *yaml.Node, level int) (*orderedValue, error) {
	if err := r.check(level); err != nil {
		return nil, fmt.Errorf("line %d: %w", n.Line, err)
	}
	n = yaml12.Follow(n)
	v := &orderedValue{isMap: n.Kind == yaml.MappingNode, isList: n.Kind == yaml.SequenceNode, text: n.Value}
	for i := 0; i < len(n.Content); i++ {
		if v.isList {
			item, err := r.yaml(n.Content[i], level+1)
			if err != nil {
				return nil, err
			}
			v.values = append(v.values, item)
			continue
		}
		key := yaml12.Follow(n.Content[i])
		i++
		item, err := r.yaml(n.Content[i], level+1)
		if err != nil {
			return nil, err
		}
		if err := v.set(key.Value, item); err != nil {
			return nil, fmt.Errorf("line %d: %w", key.Line, err)
		}
	}
	return v, nil
}

// maxReferences is how many references a reference can lead to.
const maxReferences = 16

// resolve follows the reference that a value contains as $ref. It also returns the name at the end
// of the reference. The target is nil if it doesn't exist or is in another file.
func (v *orderedValue) resolve(root *orderedValue) (target *orderedValue, name string) {
	for range maxReferences {
		ref := v.str("$ref")
		if ref == "" {
			return v, name
		}
		path, isLocal := strings.CutPrefix(ref, "#/")
		at := root
		parts := strings.Split(path, "/")
		if last := unescapePointer(parts[len(parts)-1]); name == "" {
			name = last
		}
		if !isLocal {
			return nil, name
		}
		for _, part := range parts {
			at = at.step(unescapePointer(part))
		}
		v = at
	}
	return nil, name
}

func (v *orderedValue) step(key string) *orderedValue {
	if v != nil && v.isList {
		if i := numberIn(key, 0, len(v.values)); i < len(v.values) && strconv.Itoa(i) == key {
			return v.values[i]
		}
		return nil
	}
	return v.get(key)
}

// unescapePointer decodes a part of a JSON pointer in a URL.
func unescapePointer(part string) string {
	if text, err := url.PathUnescape(part); err == nil {
		part = text
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
}
