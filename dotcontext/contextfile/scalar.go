package contextfile

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A kind is what a YAML node is by the core schema of YAML 1.2 (section 10.3).
type kind int

const (
	nothing kind = iota // null
	boolean
	integer
	float
	words // a string
	list
	object
)

// String returns the kind as a part of "want ..., got ...".
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a number", "text", "a list", "a mapping"}[k]
}

var (
	integerText = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	floatText   = regexp.MustCompile(`^(?:[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*` +
		`|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$`)
)

// plainKind returns what a plain scalar without a tag is. The spelling decides.
func plainKind(text string) kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nothing
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return boolean
	}
	switch {
	case text[0] > '9': // no number, and what most scalars are
		return words
	case integerText.MatchString(text):
		return integer
	case floatText.MatchString(text):
		return float
	}
	return words
}

// tagKinds are the tags of the core schema and what they say a node is.
var tagKinds = map[string]kind{
	"!!null": nothing, "!!bool": boolean, "!!int": integer, "!!float": float,
	"!!str": words, "!!seq": list, "!!map": object,
}

// kindOf returns what node is. It is false for a tag that the core schema does
// not have, or that says what the node is not.
func kindOf(node *yaml.Node) (kind, bool) {
	native := nativeKind(node)
	if node.Style&yaml.TaggedStyle == 0 || !strings.HasPrefix(node.Tag, "!!") {
		return native, true
	}
	claimed, known := tagKinds[node.Tag]
	switch {
	case !known:
		return native, false
	case node.Kind != yaml.ScalarNode, claimed == list, claimed == object:
		return claimed, claimed == native
	}
	return claimed, claimed == words || plainKind(node.Value) == claimed
}

// nativeKind returns what node is if a tag of the core schema does not say.
func nativeKind(node *yaml.Node) kind {
	switch {
	case node.Kind == yaml.SequenceNode:
		return list
	case node.Kind == yaml.MappingNode:
		return object
	case node.Style != 0:
		return words // quoted, a block, or with a tag of its author's own
	}
	return plainKind(node.Value)
}

// parseNumber returns the number that the text of an integer or float means.
func parseNumber(text string) float64 {
	switch {
	case strings.HasPrefix(text, "0o"):
		return parseOctal(text[2:])
	case strings.HasPrefix(text, "0x"):
		text += "p0" // Go reads hexadecimal floats only with an exponent.
	case strings.HasSuffix(strings.ToLower(text), ".nan"):
		return math.NaN()
	case strings.HasSuffix(strings.ToLower(text), ".inf"):
		text = strings.Replace(text, ".", "", 1)
	}
	n, _ := strconv.ParseFloat(text, 64) // what is out of range is infinite
	return n
}

// parseOctal goes by hexadecimal, of which ParseFloat reads any length.
func parseOctal(digits string) float64 {
	var bits strings.Builder
	bits.WriteString("0x")
	for ; len(digits)%4 != 0; digits = "0" + digits {
	}
	for i := 0; i < len(digits); i += 4 {
		group, _ := strconv.ParseUint(digits[i:i+4], 8, 12)
		s := strconv.FormatUint(group, 16)
		bits.WriteString("000"[len(s):] + s)
	}
	return parseNumber(bits.String())
}

// formatNumber prints a number as JavaScript does.
func formatNumber(n float64) string {
	switch {
	case n == 0:
		return "0" // JavaScript has no sign for it either
	case math.IsInf(n, 1):
		return "Infinity"
	case math.Abs(n) >= 1e21 || math.Abs(n) < 1e-6:
		// Go pads the exponent to two digits.
		return strings.Replace(strconv.FormatFloat(n, 'e', -1, 64), "e-0", "e-", 1)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
