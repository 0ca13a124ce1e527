package contextfile

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDepth is how deep lists and mappings may nest. The schema needs three
// levels.
const maxDepth = 100

// check finds what is wrong with a tree whatever its schema: nesting, tags,
// repeated keys, and continued lines that are not indented.
//
// It meets each node once, as it stands in the file: it follows no alias.
func (t *tree) check() error {
	if t.top == nil {
		return nil
	}
	return t.checkNode(t.top, site{indent: -1})
}

// A site is where a node stands.
type site struct {
	depth  int
	indent int  // column of the enclosing block, from 0; -1 for none
	flow   bool // within brackets or braces
}

func (t *tree) checkNode(node *yaml.Node, at site) error {
	if at.depth > maxDepth {
		return invalid(node.Line, "", fmt.Sprintf("nesting of more than %d levels", maxDepth), "make it flat")
	}
	if node.Kind == yaml.AliasNode {
		return nil
	}
	if _, ok := kindOf(node); !ok {
		return invalid(node.Line, "", "the tag "+show(node.Tag)+" does not fit the value", "remove the tag")
	}
	if err := t.checkLayout(node, at); err != nil {
		return err
	}
	if node.Kind == yaml.MappingNode {
		if err := t.checkKeys(node); err != nil {
			return err
		}
	}
	return t.checkContent(node, at)
}

func (t *tree) checkContent(node *yaml.Node, at site) error {
	inner := site{at.depth + 1, t.indentOf(node), at.flow || node.Style&yaml.FlowStyle != 0}
	for _, child := range node.Content {
		if err := t.checkNode(child, inner); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys finds the first key of a mapping that stands there twice. Keys are
// equal if they mean the same: 1 and 0x1 are, 1 and "1" are not.
func (t *tree) checkKeys(mapping *yaml.Node) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := follow(mapping.Content[i])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		id := t.identity(key)
		if line, taken := lines[id]; taken {
			return invalid(mapping.Content[i].Line, show(t.value(key)),
				fmt.Sprintf("the key stands twice, first in line %d", line), "remove one of the two")
		}
		lines[id] = mapping.Content[i].Line
	}
	return nil
}

// identity returns a text that equal scalars share.
func (t *tree) identity(scalar *yaml.Node) string {
	k, _ := kindOf(scalar)
	switch k {
	case nothing:
		return "null"
	case boolean:
		return "boolean " + strings.ToLower(scalar.Value)
	case integer, float:
		return "number " + formatNumber(parseNumber(scalar.Value))
	}
	return "text " + t.value(scalar)
}
