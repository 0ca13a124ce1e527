// Package yaml12 reads YAML by the core schema of YAML 1.2 (section 10.3). The
// library underneath follows YAML 1.1, so this package decides the kind of a scalar
// from its spelling: 2026-01-01 and yes are text, 0o17 is a number.
//
//	First           lenient: the first document, for front matter
//	Parse, Check    strict: the only document, without duplicate keys
//
// A [Problem] describes an error in a text, with its line and advice.
package yaml12

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// A Kind is the type of a node in the core schema.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
)

// String returns the kind for messages: "expected text, got a list".
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a number", "text", "a list", "a mapping"}[k]
}

// Follow returns the target of an alias, or node itself.
func Follow(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// tagKinds are the tags of the core schema.
var tagKinds = map[string]Kind{
	"!!null": Null, "!!bool": Bool, "!!int": Int, "!!float": Float,
	"!!str": Text, "!!seq": List, "!!map": Map,
}

// KindOf returns the kind of a node, not of an alias. It is false for a tag that
// is not in the core schema or does not fit the value.
func KindOf(node *yaml.Node) (Kind, bool) {
	native := SpelledKind(node)
	if node.Style&yaml.TaggedStyle == 0 || !strings.HasPrefix(node.Tag, "!!") {
		return native, true
	}
	claimed, known := tagKinds[node.Tag]
	switch {
	case !known:
		return native, false
	case node.Kind != yaml.ScalarNode, claimed == List, claimed == Map:
		return claimed, claimed == native
	}
	return claimed, claimed == Text || PlainKind(node.Value) == claimed
}

// SpelledKind returns the kind of a node, not of an alias. A scalar in quotes, in a
// block or with a tag is text.
func SpelledKind(node *yaml.Node) Kind {
	switch {
	case node.Kind == yaml.SequenceNode:
		return List
	case node.Kind == yaml.MappingNode:
		return Map
	case node.Style != 0:
		return Text
	}
	return PlainKind(node.Value)
}

var (
	integer = lazy.Regexp(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	float   = lazy.Regexp(`^(?:[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*` +
		`|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$`)
)

// PlainKind returns the kind of a scalar without quotes and tag.
func PlainKind(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	switch {
	case text[0] > '9': // no number; most scalars begin with a letter
		return Text
	case integer().MatchString(text):
		return Int
	case float().MatchString(text):
		return Float
	}
	return Text
}

// Number returns the value of an Int or Float. A number out of range is infinite.
func Number(text string) float64 {
	switch lower := strings.ToLower(text); {
	case isPrefixed(text):
		return prefixedNumber(text)
	case lower == ".nan":
		return math.NaN()
	case strings.HasSuffix(lower, ".inf"):
		text = strings.Replace(text, ".", "", 1)
	}
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// Int64 returns the value of an Int. More than 64 bits are an error.
func Int64(text string) (int64, error) {
	if isPrefixed(text) {
		return strconv.ParseInt(text, 0, 64) // base 0 goes by the prefix
	}
	return strconv.ParseInt(text, 10, 64)
}

// isPrefixed reports whether a number is octal or hexadecimal.
func isPrefixed(text string) bool {
	return strings.HasPrefix(text, "0o") || strings.HasPrefix(text, "0x")
}

func prefixedNumber(text string) float64 {
	const most = 400 // digits of 3 or 4 bits; a float64 has 1024 bits at most
	digits := strings.TrimLeft(text[2:], "0")
	if len(digits) > most {
		return math.Inf(1)
	}
	whole, _ := new(big.Int).SetString(text[:2]+"0"+digits, 0)
	n, _ := new(big.Float).SetInt(whole).Float64()
	return n
}
