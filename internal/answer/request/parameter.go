package request

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A Parameter declares a part of a request: an argument of a tool, and a flag of a command. Its
// kind follows from what it is bound to: a text, a list of texts, a truth, an integer, a share of
// [selection.One], or a filter for code.
type Parameter struct {
	Name        string // of the argument; the flag has hyphens instead of underscores
	Letter      string // shorthand of the flag
	Usage       string // of the flag; "" if there is none
	About       string // for models; can contain %v for the default
	Required    bool
	Least, Most uint64     // bounds of an integer; a Most of 0 means unlimited
	Default     uint64     // of a number
	Enum        []string   // allowed texts in a list; nil allows any
	Code        fault.Code // reported for wrong values of an argument; 0 means an [agent.ArgumentError]

	isTools     bool               // Most only binds callers of tools, and users of the page
	isFree      bool               // any text means itself, even if it looks like a list
	isSeparated bool               // texts contain no commas, except between several values
	isPairs     bool               // texts are KEY=VALUE
	check       func(string) error // of each text in a list; nil takes all

	value     any    // *string, *[]string, *bool, *int, *uint64, *uint32 or *agent.CodeFilter
	byDefault string // the text of the default
}

// To returns the parameter bound to a value, which it sets to the default.
func (p Parameter) To(value any) Parameter {
	p.value = value
	switch v := value.(type) {
	case *int:
		*v = int(p.Default)
	case *uint64:
		*v = p.Default
	case *uint32:
		*v = uint32(p.Default)
	}
	p.byDefault = p.String()
	return p
}

// Set sets the value to the text of a flag, or adds it to a list.
func (p Parameter) Set(text string) (err error) {
	switch v := p.value.(type) {
	case *string:
		*v = text
	case *[]string:
		texts := []string{text}
		if p.isSeparated {
			texts = strings.Split(text, ",")
		}
		*v = append(*v, texts...)
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		var n int64
		n, err = strconv.ParseInt(text, 0, strconv.IntSize)
		*v = int(n)
	case *uint32:
		*v, err = parseShare(text)
	case *agent.CodeFilter:
		*v, err = agent.ParseCode(text)
	}
	return err
}

// Check refuses a value that is out of bounds, or that cannot match any page. A command can exceed
// the bounds for tools.
func (p Parameter) Check() error {
	switch v := p.value.(type) {
	case *[]string:
		if wrong, err := p.checkEach(*v); err != nil {
			return fmt.Errorf("%w, got %q", err, wrong)
		}
	case *int:
		isBounded := p.Most > 0 && !p.isTools
		switch least, most := int(p.Least), int(p.Most); {
		case isBounded && (*v < least || *v > most):
			return fmt.Errorf("expected a number from %d to %d, got %d", least, most, *v)
		case *v < least && least == 0:
			return fmt.Errorf("expected 0 or more, got %d", *v)
		case *v < least:
			return fmt.Errorf("expected a number above %d, got %d", least-1, *v)
		}
	}
	return nil
}

// checkEach returns the first wrong text of a list.
func (p Parameter) checkEach(texts []string) (wrong string, err error) {
	for _, text := range texts {
		if p.check != nil && err == nil {
			wrong, err = text, p.check(text)
		}
	}
	return wrong, err
}

var errShare = errors.New("expected a number from 0 to 1 with at most six digits after the point, such as 0.3")

// parseShare accepts at most six digits after the point.
func parseShare(text string) (uint32, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 32)
	if err != nil || n > selection.One || whole == "" || len(fraction) > 6 {
		return 0, errShare
	}
	return uint32(n), nil
}

// String returns the value as the text of a flag.
func (p Parameter) String() string {
	switch v := p.value.(type) {
	case *string:
		return *v
	case *[]string:
		return strings.Join(*v, ",")
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		return strconv.Itoa(*v)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *uint32:
		return strconv.FormatFloat(float64(*v)/selection.One, 'f', -1, 64)
	case *agent.CodeFilter:
		return v.Text()
	}
	return ""
}

// List returns the list that the parameter is bound to, or nil.
func (p Parameter) List() *[]string {
	list, _ := p.value.(*[]string)
	return list
}

// Type returns the kind of the value, for pflag.
func (p Parameter) Type() string {
	switch p.value.(type) {
	case *bool:
		return "bool"
	case *int, *uint64:
		return "int"
	case *uint32:
		return "share"
	}
	return "string"
}

// Alone returns the text that the flag means without a value, or "" if it needs a value.
func (p Parameter) Alone() string {
	switch p.value.(type) {
	case *bool:
		return "true"
	case *agent.CodeFilter:
		return agent.AnyCode
	}
	return ""
}

// Flag returns the name of the flag.
func (p Parameter) Flag() string { return strings.ReplaceAll(p.Name, "_", "-") }

// Arguments returns the arguments of the tool call that makes a request, as a JSON object.
func Arguments(parameters []Parameter) []byte {
	var e wire.Encoder
	e.BeginObject()
	for _, p := range parameters {
		if p.String() == p.byDefault {
			continue
		}
		e.Key(p.Name)
		switch v := p.value.(type) {
		case *string, *agent.CodeFilter:
			e.String(p.String())
		case *[]string:
			e.Value(*v)
		default:
			e.Literal(p.String())
		}
	}
	e.EndObject()
	return e.Bytes()
}

// Schema returns the JSON Schema of the arguments that make a request.
func Schema(parameters []Parameter) string {
	var required, properties []string
	for _, p := range parameters {
		if p.Required {
			required = append(required, p.Name)
		}
		properties = append(properties, p.Property())
	}
	schema := `{"type":"object",`
	if required != nil {
		schema += `"required":` + string(wire.Marshal(required)) + `,`
	}
	return schema + `"additionalProperties":false,"properties":{` + strings.Join(properties, ",") + `}}`
}

// Property returns the name of the argument and its schema, as a member of a JSON object.
func (p Parameter) Property() string {
	schema := `"type":"string"`
	switch p.value.(type) {
	case *[]string:
		items := schema
		if p.Enum != nil {
			items += `,"enum":` + string(wire.Marshal(p.Enum))
		}
		schema = `"type":"array","items":{` + items + `}`
		if p.Required {
			schema += `,"minItems":1`
		}
	case *bool:
		schema = `"type":"boolean"`
	case *int, *uint64:
		schema = fmt.Sprintf(`"type":"integer","minimum":%d`, p.Least)
		if p.Most > 0 {
			schema += fmt.Sprintf(`,"maximum":%d`, p.Most)
		}
	case *uint32:
		schema = `"type":"number","minimum":0,"maximum":1`
	}
	if p.About != "" {
		schema += `,"description":` + string(wire.Marshal(strings.Replace(p.About, "%v", p.byDefault, 1)))
	}
	return fmt.Sprintf("%q:{%s}", p.Name, schema)
}
