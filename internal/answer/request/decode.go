package request

import (
	"bytes"
	"encoding/json"
	"errors"
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

// Decode sets the values of parameters to the arguments in a JSON object. An empty text means an empty
// object. If isLenient is set, arguments can have other forms than the schema says, as long as these
// can only mean one thing. Decode returns the error of the first wrong argument, but still decodes
// the others.
func Decode(text []byte, parameters []Parameter, isLenient bool) (failed error) {
	fail := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	if isLenient {
		text = unwrapped(text, parameters)
	}
	values := map[string][]byte{}
	if len(text) > 0 && string(text) != "null" {
		d := wire.NewDecoder(text)
		err := d.Object(func(name string) (err error) {
			if !isDeclared(name, parameters) {
				fail(unknown(name, parameters))
			}
			values[name], err = d.Value()
			return err
		})
		if err != nil {
			return argumentErrorf("arguments: expected an object")
		}
	}
	for _, f := range parameters {
		given, isGiven := values[f.Name]
		switch value, isJSON := parse(given); {
		case !isGiven && f.Required:
			fail(argumentErrorf("missing argument %q", f.Name))
		case isGiven:
			if isLenient && isJSON {
				value = f.meant(value)
			}
			if value == nil && isJSON && !f.Required {
				continue // null means the same as no argument
			}
			if err := f.decode(value); err != nil {
				fail(f.wrong(given, err))
			}
		}
	}
	return failed
}

func isDeclared(name string, parameters []Parameter) bool {
	return slices.ContainsFunc(parameters, func(f Parameter) bool { return f.Name == name })
}

func unknown(name string, parameters []Parameter) error {
	var known []string
	for _, f := range parameters {
		known = append(known, f.Name)
	}
	if known == nil {
		return argumentErrorf("unknown argument %q: this tool takes none", name)
	}
	return argumentErrorf("unknown argument %q: this tool takes %s", name, strings.Join(known, ", "))
}

func argumentErrorf(format string, args ...any) error {
	return agent.ArgumentError(fmt.Sprintf(format, args...))
}

// wrong returns the error for an argument with a wrong value, from a text that says what is right.
func (f Parameter) wrong(given []byte, expected error) error {
	if f.Code != 0 {
		return fault.Errorf(f.Code, "%s is %.40s: %w", f.Name, given, expected)
	}
	return argumentErrorf("argument %q is %.40s: %v", f.Name, given, expected)
}

// parse returns a JSON value, with numbers as [json.Number].
func parse(text []byte) (value any, ok bool) {
	d := wire.NewDecoder(text) // is stricter, and refuses what comes after the value
	if d.Skip() != nil || d.End() != nil {
		return nil, false
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	return value, in.Decode(&value) == nil
}

var (
	errText   = errors.New("expected a string")
	errList   = errors.New("expected a list of strings")
	errPairs  = errors.New("expected a list of strings such as topic=guide")
	errFlag   = errors.New("expected true or false")
	errNumber = errors.New("expected a number from 0 to 1")
)

// decode sets the value of a parameter to a JSON value. It fails by saying what it expects.
func (f Parameter) decode(value any) (err error) {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	switch v := f.value.(type) {
	case *string:
		if *v = text; !isText {
			return errText
		}
	case *agent.CodeFilter:
		if !isText {
			return errText
		}
		*v, err = agent.ParseCode(text)
	case *[]string:
		*v, err = f.listIn(value)
	case *bool:
		isTrue, isFlag := value.(bool)
		if *v = isTrue; !isFlag {
			return errFlag
		}
	case *int:
		var n uint64
		n, err = f.integerIn(string(number))
		*v = int(n)
	case *uint64:
		*v, err = f.integerIn(string(number))
	case *uint32:
		n, err := strconv.ParseFloat(string(number), 64)
		if !isNumber || err != nil || !(0 <= n && n <= 1) {
			return errNumber
		}
		*v = uint32(n*selection.One + 0.5)
	}
	return err
}

func (f Parameter) listIn(value any) ([]string, error) {
	texts, ok := textsOf(value)
	switch {
	case !ok && f.isPairs:
		return nil, errPairs
	case !ok:
		return nil, errList
	}
	for _, text := range texts {
		if f.check != nil {
			if err := f.check(text); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

// textsOf returns the texts in a list of texts.
func textsOf(value any) (texts []string, ok bool) {
	if texts, ok = value.([]string); ok {
		return texts, true
	}
	list, ok := value.([]any)
	texts = []string{}
	for _, element := range list {
		text, isText := element.(string)
		texts, ok = append(texts, text), ok && isText
	}
	return texts, ok
}

func (f Parameter) integerIn(number string) (uint64, error) {
	n, ok := integerOf(number)
	switch {
	case f.Most == 0 && !ok:
		return 0, fmt.Errorf("expected an integer of %d or more", f.Least)
	case f.Most > 0 && (!ok || n < f.Least || n > f.Most):
		return 0, fmt.Errorf("expected an integer from %d to %d", f.Least, f.Most)
	}
	return n, nil
}

// integerOf returns the value of a JSON number if it is a non-negative integer of 64 bits,
// such as 4000, 4e3 or 4000.0.
func integerOf(number string) (uint64, bool) {
	const longest = 400 // digits and exponent of any sensible number
	if number == "" || len(number) > longest {
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
