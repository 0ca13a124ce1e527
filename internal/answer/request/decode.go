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

// Decode sets the values of parameters to the arguments in a JSON object. An empty text means an
// empty object. If isLenient is set, arguments can have other forms than the schema says, as long
// as these can only mean one thing. Decode returns the error of the first wrong argument, but still
// decodes the others.
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
	for _, p := range parameters {
		given, isGiven := values[p.Name]
		switch value, isJSON := parse(given); {
		case !isGiven && p.Required:
			fail(argumentErrorf("missing argument %q", p.Name))
		case isGiven:
			if isLenient && isJSON {
				value = p.meant(value)
			}
			if value == nil && isJSON && !p.Required {
				continue // null means the same as no argument
			}
			if err := p.decode(value); err != nil {
				fail(p.wrong(given, err))
			}
		}
	}
	return failed
}

func isDeclared(name string, parameters []Parameter) bool {
	return slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == name })
}

func unknown(name string, parameters []Parameter) error {
	var known []string
	for _, p := range parameters {
		known = append(known, p.Name)
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
func (p Parameter) wrong(given []byte, expected error) error {
	if p.Code != 0 {
		return fault.Errorf(p.Code, "%s is %.40s: %w", p.Name, given, expected)
	}
	return argumentErrorf("argument %q is %.40s: %v", p.Name, given, expected)
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

var errText = errors.New("expected a string")

// decode sets the value of a parameter to a JSON value. It fails by saying what it expects.
func (p Parameter) decode(value any) (err error) {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	switch v := p.value.(type) {
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
		*v, err = p.listIn(value)
	case *bool:
		isTrue, isFlag := value.(bool)
		if *v = isTrue; !isFlag {
			return errors.New("expected true or false")
		}
	case *int:
		var n uint64
		n, err = p.integerIn(string(number))
		*v = int(n)
	case *uint64:
		*v, err = p.integerIn(string(number))
	case *uint32:
		n, err := strconv.ParseFloat(string(number), 64)
		if !isNumber || err != nil || !(0 <= n && n <= 1) {
			return errors.New("expected a number from 0 to 1")
		}
		*v = uint32(n*selection.One + 0.5)
	}
	return err
}

func (p Parameter) listIn(value any) ([]string, error) {
	texts, ok := textsOf(value)
	switch {
	case !ok && p.isPairs:
		return nil, errors.New("expected a list of strings such as topic=guide")
	case !ok:
		return nil, errors.New("expected a list of strings")
	}
	_, err := p.checkEach(texts)
	return texts, err
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

func (p Parameter) integerIn(number string) (uint64, error) {
	n, ok := integerOf(number)
	switch {
	case p.Most == 0 && !ok:
		return 0, fmt.Errorf("expected an integer of %d or more", p.Least)
	case p.Most > 0 && (!ok || n < p.Least || n > p.Most):
		return 0, fmt.Errorf("expected an integer from %d to %d", p.Least, p.Most)
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
