package yaml12

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds the nesting of lists and mappings. Our schemas need six levels.
const maxDepth = 100

// Check refuses errors that the library accepts, but a strict reader must not: nesting
// of more than 100 levels, a tag that does not fit its value, and a duplicate key.
// It follows no alias, so it visits each node once. Its error is a *[Problem].
func Check(root *yaml.Node) error { return check(root, 0) }

func check(node *yaml.Node, depth int) error {
	if depth > maxDepth {
		return &Problem{node.Line, "", fmt.Sprintf("nesting of more than %d levels", maxDepth), "make it flat"}
	}
	if node.Kind == yaml.AliasNode {
		return nil
	}
	if _, ok := KindOf(node); !ok {
		return &Problem{node.Line, "", "the tag " + Excerpt(node.Tag) + " does not fit the value", "remove the tag"}
	}
	if node.Kind == yaml.MappingNode {
		if err := checkKeys(node); err != nil {
			return err
		}
	}
	for _, child := range node.Content {
		if err := check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys compares keys by value: 1 and 0x1 are equal, 1 and "1" are not.
func checkKeys(mapping *yaml.Node) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := Follow(mapping.Content[i])
		if key.Kind != yaml.ScalarNode {
			continue
		}
		line := mapping.Content[i].Line
		id := identity(key)
		if first, taken := lines[id]; taken {
			return &Problem{line, Excerpt(key.Value), fmt.Sprintf("duplicate key, first in line %d", first), "remove one of the two"}
		}
		lines[id] = line
	}
	return nil
}

// identity returns a text that only equal scalars share.
func identity(scalar *yaml.Node) string {
	kind, _ := KindOf(scalar)
	switch kind {
	case Null:
		return "null"
	case Bool:
		return "boolean " + strings.ToLower(scalar.Value)
	case Int, Float:
		return "number " + strconv.FormatFloat(Number(scalar.Value)+0, 'g', -1, 64) // -0 + 0 is 0
	}
	return "text " + scalar.Value
}
