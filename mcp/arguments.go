package mcp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// An argumentError says which argument of a call is wrong. The tools on caches
// make it a JSON-RPC error, the tools on contexts tell the model of it.
type argumentError struct{ message string }

func (e *argumentError) Error() string { return e.message }

func argumentErrorf(format string, args ...any) error {
	return &argumentError{fmt.Sprintf(format, args...)}
}

// arguments are the arguments of a call as JSON text, by name.
type arguments map[string][]byte

// parseArguments reads the JSON object of a call's arguments. An empty text is an
// empty object. With an unknown argument it returns an error and all arguments.
func parseArguments(text []byte, known ...string) (arguments, error) {
	args := arguments{}
	if len(text) == 0 || string(text) == "null" {
		return args, nil
	}
	d := wire.NewDecoder(text)
	var unknown []string
	err := d.Object(func(name string) (err error) {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
		args[name], err = d.Value()
		return err
	})
	if err != nil {
		return nil, argumentErrorf("arguments: want an object")
	}
	if len(unknown) > 0 && len(known) == 0 {
		return args, argumentErrorf("unknown argument %q: this tool takes none", unknown[0])
	}
	if len(unknown) > 0 {
		return args, argumentErrorf("unknown argument %q: known are %s", unknown[0], strings.Join(known, ", "))
	}
	return args, nil
}

// text returns the string argument of that name.
func (a arguments) text(name string) (string, error) {
	value, ok := a[name]
	if !ok {
		return "", argumentErrorf("argument %q is missing", name)
	}
	text, err := wire.NewDecoder(value).String()
	if err != nil {
		return "", argumentErrorf("argument %q: want a string", name)
	}
	return text, nil
}

// optionalText returns the string argument of that name, or "" without it.
func (a arguments) optionalText(name string) (string, error) {
	if a.isAbsent(name) {
		return "", nil
	}
	return a.text(name)
}

// optionalTexts returns the argument of that name, a list of strings, or nil
// without it.
func (a arguments) optionalTexts(name string) ([]string, error) {
	if a.isAbsent(name) {
		return nil, nil
	}
	texts := []string{}
	d := wire.NewDecoder(a[name])
	err := d.Array(func() error {
		text, err := d.String()
		texts = append(texts, text)
		return err
	})
	if err != nil {
		return nil, argumentErrorf("argument %q: want a list of strings", name)
	}
	return texts, nil
}

// isAbsent reports whether the call leaves out an argument, or it is null.
func (a arguments) isAbsent(name string) bool {
	value, given := a[name]
	return !given || string(value) == "null"
}

// cache returns the argument cache, a plain path below the cache root.
func (a arguments) cache() (string, error) {
	text, err := a.text("cache")
	if err != nil {
		return "", err
	}
	plain, err := plainPath(text)
	if err == nil && plain == "." {
		err = missing(text)
	}
	return plain, err
}

// root returns the argument root, a plain path, or "." without it.
func (a arguments) root() (string, error) {
	text, err := a.optionalText("root")
	if err != nil {
		return "", err
	}
	return plainPath(text)
}

// query returns the argument query. It fails with [fault.InvalidQuery] if the
// argument is not a string.
func (a arguments) query() (string, error) {
	text, err := a.text("query")
	if _, there := a["query"]; there && err != nil {
		return "", fault.Errorf(fault.InvalidQuery, "%v", err) // not an argumentError: the contract has a code for it
	}
	return text, err
}

// budget returns the argument budget, a number with an integral value in any form.
// Any other value is a [fault.InvalidBudget].
func (a arguments) budget() (uint64, error) {
	value, ok := a["budget"]
	if !ok {
		return 0, argumentErrorf("argument %q is missing", "budget")
	}
	n, ok := integer(string(value))
	if !ok {
		return 0, fault.Errorf(fault.InvalidBudget, "budget is %.40s: want an integer of 0 or more", value)
	}
	return n, nil
}

// integer returns the value of a JSON number if it is an integer of 64 bits and not
// negative, such as 4000, 4e3 and 4000.0.
func integer(number string) (uint64, bool) {
	const longest = 400 // digits and exponent of any sensible number
	if len(number) > longest || !strings.ContainsAny(number[:1], "-0123456789") {
		return 0, false
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(strings.TrimLeft(exponent, "+-0")) > 3 {
		// With an exponent of four digits only zero fits 64 bits, and the
		// exact value would take long to compute.
		return 0, strings.Trim(mantissa, "-0.") == ""
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok || !r.IsInt() || !r.Num().IsUint64() {
		return 0, false
	}
	return r.Num().Uint64(), true
}
