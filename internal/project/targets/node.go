package targets

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// A nodeReader reads the nodes of a file. Aliases may make a small file large, so it reads a
// bounded number of them.
type nodeReader struct {
	path        string
	dir         string // of the file
	environment Environment
	left        int    // nodes still allowed
	key         string // whose value is read; "" for a key itself
}

// maxNodes bounds the nodes of a file. Each alias counts as the nodes of its target.
const maxNodes = 100_000

// A use reads a node and keeps its value.
type use func(*yaml.Node) error

// errorf returns an error about a node, with its line.
func (r *nodeReader) errorf(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{r.path, max(1, node.Line)}, args...)...)
}

// parseYAML returns the root of the only YAML document of a text.
func (r *nodeReader) parseYAML(text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not UTF-8", r.path)
	}
	root, err := yaml12.Parse(string(text))
	if err == nil && root != nil {
		err = yaml12.Check(root)
	}
	if p, ok := errors.AsType[*yaml12.Problem](err); ok {
		return nil, r.refuse(*p)
	}
	if root == nil {
		return nil, fmt.Errorf("%s is empty: it must begin with version: 1", r.path)
	}
	return root, nil
}

// refuse returns a problem as an error with the path of the file.
func (r *nodeReader) refuse(p yaml12.Problem) error {
	line := max(1, p.Line)
	p.Line = 0
	if p.Field != "" && p.Field[0] != '"' { // or it is quoted already
		p.Field = strconv.Quote(p.Field)
	}
	return fmt.Errorf("%s:%d: %w", r.path, line, &p)
}

// as returns a node, or the target of an alias, if it is of a kind.
func (r *nodeReader) as(kind yaml12.Kind, node *yaml.Node) (*yaml.Node, error) {
	if r.left--; r.left < 0 {
		return nil, fmt.Errorf("%s contains more than %d values once its aliases are replaced", r.path, maxNodes)
	}
	value := yaml12.Follow(node)
	if got, _ := yaml12.KindOf(value); got == kind {
		return value, nil
	}
	want := ""
	if kind == yaml12.Bool {
		want = "true or false"
	}
	return nil, r.mismatch(node, kind, want)
}

func (r *nodeReader) mismatch(node *yaml.Node, kind yaml12.Kind, want string) error {
	p := yaml12.Mismatch(node, kind, want)
	p.Line, p.Field = node.Line, r.key
	return r.refuse(p)
}

// wrong returns an error about the value of a key.
func (r *nodeReader) wrong(node *yaml.Node, format string, args ...any) error {
	if r.key == "" {
		return r.errorf(node, format, args...)
	}
	return r.errorf(node, "%q: "+format, append([]any{r.key}, args...)...)
}

// maxText is the most bytes of a text, since errors quote texts in full.
const maxText = 16 << 10

// parsed keeps the result of parsing a scalar of a kind.
func parsed[T any](r *nodeReader, kind yaml12.Kind, parse func(string) (T, error), keep *T) use {
	return func(node *yaml.Node) error {
		value, err := r.as(kind, node)
		if err != nil {
			return err
		}
		if kind == yaml12.Text {
			err = checkText(value.Value)
		}
		if err == nil {
			*keep, err = parse(value.Value)
		}
		if err != nil {
			return r.wrong(node, "%w", err)
		}
		return nil
	}
}

// written is parsed for a text, or for the digits of a number, such as the version 16.10.
func written[T any](r *nodeReader, parse func(string) (T, error), keep *T) use {
	return func(node *yaml.Node) error {
		kind, _ := yaml12.KindOf(yaml12.Follow(node))
		if kind != yaml12.Int && kind != yaml12.Float {
			kind = yaml12.Text
		}
		return parsed(r, kind, parse, keep)(node)
	}
}

// checkText fails unless a text is nonempty and printable in an error.
func checkText(text string) error {
	if text == "" || strings.ContainsRune(text, 0) {
		return fmt.Errorf("expected text, got %q", text)
	}
	if len(text) > maxText {
		return fmt.Errorf("expected text of at most %d bytes", maxText)
	}
	return nil
}

func (r *nodeReader) text(keep *string) use {
	return parsed(r, yaml12.Text, func(text string) (string, error) { return text, nil }, keep)
}

func (r *nodeReader) boolean(keep *bool) use {
	return parsed(r, yaml12.Bool, func(text string) (bool, error) { return strings.EqualFold(text, "true"), nil }, keep)
}

// list reads each element of a nonempty list.
func (r *nodeReader) list(element use) use {
	return func(node *yaml.Node) error {
		value, err := r.as(yaml12.List, node)
		if err != nil {
			return err
		}
		if len(value.Content) == 0 {
			return r.wrong(node, "the list is empty: remove it, or give it an element")
		}
		for _, n := range value.Content {
			if err := element(n); err != nil {
				return err
			}
		}
		return nil
	}
}

// texts keeps a list of texts, and fails if the check of a text does.
func (r *nodeReader) texts(keep *[]string, check func(string) error) use {
	return r.list(func(node *yaml.Node) error {
		var text string
		err := parsed(r, yaml12.Text, func(text string) (string, error) { return text, check(text) }, &text)(node)
		*keep = append(*keep, text)
		return err
	})
}

// mapping reads a mapping with known keys, and fails if a required key is missing.
func (r *nodeReader) mapping(keys map[string]use, required ...string) use {
	return func(node *yaml.Node) error {
		given := map[string]bool{}
		err := r.entries(func(key, value *yaml.Node) error {
			use, known := keys[key.Value]
			if !known {
				all := slices.Sorted(maps.Keys(keys))
				return r.refuse(yaml12.UnknownKey(key, all, "expected "+strings.Join(all, ", ")))
			}
			given[key.Value] = true
			return use(value)
		})(node)
		for _, key := range required {
			if err == nil && !given[key] {
				err = r.errorf(node, "%q is missing", key)
			}
		}
		return err
	}
}

// entries reads the keys of a mapping, which are texts and different, with their values.
func (r *nodeReader) entries(entry func(key, value *yaml.Node) error) use {
	return func(node *yaml.Node) error {
		value, err := r.as(yaml12.Map, node)
		if err != nil {
			return err
		}
		outer := r.key
		defer func() { r.key = outer }()
		for i := 0; i+1 < len(value.Content); i += 2 {
			r.key = ""
			key, err := r.as(yaml12.Text, value.Content[i])
			if err != nil {
				return err
			}
			r.key = key.Value
			if err := entry(key, value.Content[i+1]); err != nil {
				return err
			}
		}
		return nil
	}
}
