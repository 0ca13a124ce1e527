package evaluation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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

// A Gate is a lower bound of a measure.
type Gate struct {
	Measure string
	Least   Fraction
	why     string // where Least comes from, in parentheses; may be empty
}

// ParseGate reads a gate, such as "ndcg@10=0.7", for one of the measures.
func ParseGate(s string, measures []string) (Gate, error) {
	name, number, ok := strings.Cut(s, "=")
	if !ok {
		return Gate{}, fmt.Errorf("%q: expected MEASURE=MINIMUM, such as ndcg@10=0.7", s)
	}
	if !slices.Contains(measures, name) {
		return Gate{}, fmt.Errorf("%q: there is no measure %q, but %s", s, name, strings.Join(measures, ", "))
	}
	least, err := ParseFraction(number)
	if err != nil {
		return Gate{}, fmt.Errorf("%q: %w", s, err)
	}
	return Gate{Measure: name, Least: least}, nil
}

func (g Gate) isMissed(by MeasureList) bool {
	value, isKnown := by.Of(g.Measure)
	return isKnown && value < g.Least
}

func (g Gate) failure(of MeasureList) string {
	value, _ := of.Of(g.Measure)
	return fmt.Sprintf("%s is %s, expected at least %s%s", g.Measure, value, g.Least, g.why)
}

// Gates returns gates that let each measure fall below the baseline by at most the
// tolerance.
func (b *Baseline) Gates(tolerance Fraction) (gates []Gate) {
	for _, m := range b.Measures {
		least := max(0, m.Value-tolerance)
		gates = append(gates, Gate{m.Name, least, fmt.Sprintf(" (the baseline is %s)", m.Value)})
	}
	return gates
}

// Check returns an error that names each measure below its gate, with its worst
// queries and why they score badly, or nil. If the report does not contain a
// measure, gates of the baseline pass and others fail.
func (r TaskReport) Check(gates []Gate) error {
	var failures []string
	for _, gate := range gates {
		switch _, isKnown := r.Measures.Of(gate.Measure); {
		case !isKnown && gate.why == "":
			failures = append(failures, gate.Measure+" is not measured: no judgment names a section")
		case gate.isMissed(r.Measures):
			failure := gate.failure(r.Measures)
			var ids []string
			worst, _ := r.Lowest(gate.Measure, mostWorst)
			for _, at := range worst {
				ids = append(ids, r.Outcomes[at].ID)
			}
			if ids != nil {
				failure += fmt.Sprintf(" (worst: %s)", strings.Join(ids, ", "))
			}
			failures = append(failures, failure)
		}
	}
	for _, at := range r.Worst(gates) {
		if o := r.Outcomes[at]; o.Why != "" {
			failures = append(failures, fmt.Sprintf("%s: %s", o.ID, o.Why))
		}
	}
	return errorOf(failures)
}

func errorOf(failures []string) error {
	if failures == nil {
		return nil
	}
	return errors.New(strings.Join(failures, "; "))
}

// Worst returns the positions of the Outcomes that are worst by the measures below
// their gates. There are only a few.
func (r TaskReport) Worst(gates []Gate) (positions []int) {
	for _, gate := range gates {
		if !gate.isMissed(r.Measures) {
			continue
		}
		worst, _ := r.Lowest(gate.Measure, mostWorst)
		for _, at := range worst {
			if len(positions) < mostWorst && !slices.Contains(positions, at) {
				positions = append(positions, at)
			}
		}
	}
	return positions
}
