package stages

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/toml"
	"github.com/contextcompiler/context/internal/base/wire"
)

// This file reads front matter in TOML and JSON as nodes of YAML, so that the same rules make
// metadata of all of them.

// nodeOfTOML reads lines of TOML after an opening line.
func nodeOfTOML(text []byte) (*yaml.Node, error) {
	var fields map[string]any
	if err := toml.Unmarshal(bytes.TrimLeft(text, "+ \t\r"), &fields); err != nil {
		return nil, err
	}
	return nodeOf(fields), nil
}

// nodeOf returns the node of a value of TOML. Keys are in order.
func nodeOf(value any) *yaml.Node {
	switch value := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			node.Content = append(node.Content, textNode(key), nodeOf(value[key]))
		}
		return node
	case []map[string]any:
		return listOf(value)
	case []any:
		return listOf(value)
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatInt(value, 10)}
	case float64:
		return textNode(floatText(value))
	case time.Time:
		return textNode(timeText(value))
	}
	return textNode(fmt.Sprint(value)) // a text or a boolean
}

func listOf[Element any](elements []Element) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	for _, element := range elements {
		node.Content = append(node.Content, nodeOf(element))
	}
	return node
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: text}
}

// floatText returns the shortest spelling of a float, which differs from that of an integer.
func floatText(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// timeText returns a date or time as in TOML. The library marks local ones by their location.
func timeText(t time.Time) string {
	switch t.Location().String() {
	case "date-local":
		return t.Format(time.DateOnly)
	case "time-local":
		return t.Format("15:04:05.999999999")
	case "datetime-local":
		return t.Format("2006-01-02T15:04:05.999999999")
	}
	return t.Format(time.RFC3339Nano)
}

// nodeOfJSON reads an object.
func nodeOfJSON(text []byte) (*yaml.Node, error) {
	node, err := nodeOfValue(wire.NewDecoder(text), text)
	if err != nil {
		return nil, fmt.Errorf("its JSON is broken: %w", err)
	}
	return node, nil
}

var errNoValue = errors.New("a value is missing")

func nodeOfValue(d *wire.Decoder, text []byte) (*yaml.Node, error) {
	at := d.Next()
	if at == len(text) {
		return nil, errNoValue
	}
	node := &yaml.Node{}
	add := func() error {
		value, err := nodeOfValue(d, text)
		node.Content = append(node.Content, value)
		return err
	}
	switch text[at] {
	case '{':
		node.Kind = yaml.MappingNode
		return node, d.Object(func(key string) error {
			node.Content = append(node.Content, textNode(key))
			return add()
		})
	case '[':
		node.Kind = yaml.SequenceNode
		return node, d.Array(add)
	case '"':
		value, err := d.String()
		return textNode(value), err
	}
	value, err := d.Value()
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(value)}, err
}
