package mcp

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// An argument declares an argument of a tool. The JSON Schema, the decoder and the errors all use
// this declaration, so they cannot disagree.
type argument struct {
	name        string
	kind        argumentKind
	required    bool
	least, most uint64     // bounds of an integer; a most of 0 means unlimited
	byDefault   uint64     // used if a call leaves out the argument
	enum        []string   // allowed texts in a list; nil allows any
	isFree      bool       // any text means itself, even if it looks like a list
	isSeparated bool       // texts contain no commas, except between several values
	isPairs     bool       // texts are KEY=VALUE
	code        fault.Code // reported for wrong values; 0 means an [agent.ArgumentError]
	description string     // can contain %v for the default
}

// An argumentKind is the kind of JSON value for an argument.
type argumentKind int

const (
	textKind    argumentKind = iota
	listKind                 // of texts
	anyListKind              // of texts; also a single text, because models often send it
	flagKind                 // true or false
	integerKind
	shareKind // a number from 0 to 1, decoded in units of 1/[selection.One]
)

// property returns the name and the schema of an argument as a member of a JSON object.
func (a argument) property() string {
	var schema string
	switch a.kind {
	case textKind:
		schema = `"type":"string"`
	case listKind, anyListKind:
		items := `"type":"string"`
		if a.enum != nil {
			items += `,"enum":` + string(wire.Marshal(a.enum))
		}
		schema = `"type":"array","items":{` + items + `}`
		if a.required {
			schema += `,"minItems":1`
		}
	case flagKind:
		schema = `"type":"boolean"`
	case integerKind:
		schema = fmt.Sprintf(`"type":"integer","minimum":%d`, a.least)
		if a.most > 0 {
			schema += fmt.Sprintf(`,"maximum":%d`, a.most)
		}
	case shareKind:
		schema = `"type":"number","minimum":0,"maximum":1`
	}
	if a.description != "" {
		schema += `,"description":` + string(wire.Marshal(strings.Replace(a.description, "%v", a.defaultText(), 1)))
	}
	return fmt.Sprintf("%q:{%s}", a.name, schema)
}

func (a argument) defaultText() string {
	if a.kind == shareKind {
		return strconv.FormatFloat(float64(a.byDefault)/selection.One, 'g', -1, 64)
	}
	return strconv.FormatUint(a.byDefault, 10)
}

// schemaOf returns the JSON Schema of arguments.
func schemaOf(all []argument) string {
	var required, properties []string
	for _, a := range all {
		if a.required {
			required = append(required, a.name)
		}
		properties = append(properties, a.property())
	}
	schema := `{"type":"object",`
	if required != nil {
		schema += `"required":` + string(wire.Marshal(required)) + `,`
	}
	return schema + `"additionalProperties":false,"properties":{` + strings.Join(properties, ",") + `}}`
}

// callArguments are the arguments of a call. A tool first reads all its arguments, and then checks
// err.
type callArguments struct {
	values map[string][]byte // JSON texts
	err    error             // about the first wrong argument
}

// parseArguments reads the JSON object with a call's arguments. An empty text means an empty
// object. If an argument is not declared, a tool can still read the others. If isLenient is set,
// arguments can have other forms than the schema says, as long as these can only mean one thing.
func parseArguments(text []byte, declared []argument, isLenient bool) *callArguments {
	args := &callArguments{values: map[string][]byte{}}
	if isLenient {
		text = meantArguments(text, declared)
	}
	if len(text) == 0 || string(text) == "null" {
		return args
	}
	var known []string
	for _, a := range declared {
		known = append(known, a.name)
	}
	d := wire.NewDecoder(text)
	err := d.Object(func(name string) (err error) {
		switch isKnown := slices.Contains(known, name); {
		case !isKnown && len(known) == 0:
			args.fail("unknown argument %q: this tool takes none", name)
		case !isKnown:
			args.fail("unknown argument %q: this tool takes %s", name, strings.Join(known, ", "))
		}
		args.values[name], err = d.Value()
		return err
	})
	if err != nil {
		args = &callArguments{}
		args.fail("arguments: expected an object")
		return args
	}
	for _, a := range declared {
		if value := args.values[a.name]; isLenient && value != nil {
			args.values[a.name] = a.meant(value)
		}
	}
	return args
}

// fail sets err to an [agent.ArgumentError], unless an earlier argument was wrong already.
func (c *callArguments) fail(format string, args ...any) {
	if c.err == nil {
		c.err = argumentErrorf(format, args...)
	}
}

func argumentErrorf(format string, args ...any) error {
	return agent.ArgumentError(fmt.Sprintf(format, args...))
}

// value returns the JSON text of an argument, or nil if the call leaves it out. For optional
// arguments, null means the same.
func (c *callArguments) value(a argument) []byte {
	value := c.values[a.name]
	switch {
	case a.required && value == nil:
		c.fail("missing argument %q", a.name)
	case !a.required && string(value) == "null":
		return nil
	}
	return value
}

// expected sets err, unless it is already set, to the error for an argument with a wrong value.
func (c *callArguments) expected(a argument, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if c.err == nil && a.code != 0 {
		c.err = fault.Errorf(a.code, "%s is %.40s: expected %s", a.name, c.values[a.name], what)
	}
	c.fail("argument %q is %.40s: expected %s", a.name, c.values[a.name], what)
}

func (c *callArguments) text(a argument) string {
	value := c.value(a)
	if value == nil {
		return ""
	}
	text, err := wire.NewDecoder(value).String()
	if err != nil {
		c.expected(a, "a string")
	}
	return text
}

// list returns a list of texts, or nil if the call leaves it out.
func (c *callArguments) list(a argument) []string {
	value := c.value(a)
	if value == nil {
		return nil
	}
	if a.kind == anyListKind && value[0] == '"' {
		return []string{c.text(a)}
	}
	texts := []string{}
	d := wire.NewDecoder(value)
	err := d.Array(func() error {
		text, err := d.String()
		texts = append(texts, text)
		return err
	})
	switch {
	case err != nil && a.isPairs:
		c.expected(a, "a list of strings such as topic=guide")
	case err != nil:
		c.expected(a, "a list of strings")
	}
	return texts
}

func (c *callArguments) flag(a argument) bool {
	switch value := string(c.value(a)); value {
	case "", "false", "true":
		return value == "true"
	}
	c.expected(a, "true or false")
	return false
}

// share returns a number from 0 to 1 in units of 1/[selection.One].
func (c *callArguments) share(a argument) uint32 {
	value := c.value(a)
	if value == nil {
		return uint32(a.byDefault)
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || !(0 <= n && n <= 1) {
		c.expected(a, "a number from 0 to 1")
		return 0
	}
	return uint32(n*selection.One + 0.5)
}

func (c *callArguments) integer(a argument) uint64 {
	value := c.value(a)
	if value == nil {
		return a.byDefault
	}
	n, ok := integerOf(string(value))
	switch {
	case a.most == 0 && !ok:
		c.expected(a, "an integer of %d or more", a.least)
	case a.most > 0 && (!ok || n < a.least || n > a.most):
		c.expected(a, "an integer from %d to %d", a.least, a.most)
	}
	return n
}

// integerOf returns the value of a JSON number if it is a non-negative integer of 64 bits,
// such as 4000, 4e3 or 4000.0.
func integerOf(number string) (uint64, bool) {
	const longest = 400 // digits and exponent of any sensible number
	if len(number) > longest || !strings.ContainsAny(number[:1], "-0123456789") {
		return 0, false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(strings.TrimLeft(exponent, "+-0")) > 3 {
		// With an exponent of four digits, only zero fits into 64 bits, and
		// computing the exact value could take long.
		return 0, strings.Trim(mantissa, "-0.") == ""
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok || !r.IsInt() || !r.Num().IsUint64() {
		return 0, false
	}
	return r.Num().Uint64(), true
}
