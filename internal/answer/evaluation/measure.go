package evaluation

import (
	"fmt"
	"math"
	"strconv"

	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/wire"
)

// A Fraction is the value of a measure, or the difference of two values, in units
// of 1/10000. Values are compared as they print.
type Fraction int

// one is the highest value of a measure.
const one Fraction = 10000

// valueOf rounds a mean.
func valueOf(mean float64) Fraction { return Fraction(math.Round(mean * float64(one))) }

// String returns the value with four decimal places.
func (v Fraction) String() string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	return fmt.Sprintf("%s%d.%04d", sign, v/one, v%one)
}

// Signed returns the value with its sign.
func (v Fraction) Signed() string {
	if v > 0 {
		return "+" + v.String()
	}
	return v.String()
}

// valueText matches a number for ParseFraction. Its groups are the digits before
// and after the decimal point.
var valueText = lazy.Regexp(`^([01])(?:\.([0-9]{1,4}))?$`)

// ParseFraction reads a number from 0 to 1 with at most four decimal places.
func ParseFraction(s string) (Fraction, error) {
	if parts := valueText().FindStringSubmatch(s); parts != nil {
		n, err := strconv.Atoi(parts[1] + (parts[2] + "0000")[:4])
		if v := Fraction(n); err == nil && v <= one {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%q: expected a number from 0 to 1 with at most 4 decimal places", s)
}

// A Measure is the mean of one measure over all queries with a relevant document.
type Measure struct {
	Name  string
	Value Fraction
}

// A MeasureList contains measures in the order of a report. Its JSON is an object.
type MeasureList []Measure

// Of returns the value of the measure of that name.
func (all MeasureList) Of(name string) (value Fraction, isKnown bool) {
	for _, m := range all {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

// Encode writes an object of values by name.
func (all MeasureList) Encode(e *wire.Encoder) {
	e.BeginObject()
	for _, m := range all {
		e.Key(m.Name)
		e.Literal(m.Value.String())
	}
	e.EndObject()
}

// parseMeasures reads what Encode writes.
func parseMeasures(d *wire.Decoder) (all MeasureList, err error) {
	err = d.Object(func(name string) error {
		literal, err := d.Value()
		if err != nil {
			return err
		}
		value, err := ParseFraction(string(literal))
		if err != nil {
			return fmt.Errorf("%s is %w", name, err)
		}
		all = append(all, Measure{name, value})
		return nil
	})
	return all, err
}
