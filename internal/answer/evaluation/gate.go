package evaluation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
		value, isKnown := r.Measures.Of(gate.Measure)
		switch {
		case !isKnown && gate.why == "":
			failures = append(failures, gate.Measure+" is not measured: no judgment names a section")
		case isKnown && value < gate.Least:
			failure := fmt.Sprintf("%s is %s, expected at least %s%s", gate.Measure, value, gate.Least, gate.why)
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
	if failures == nil {
		return nil
	}
	for _, at := range r.Worst(gates) {
		if o := r.Outcomes[at]; o.Why != "" {
			failures = append(failures, fmt.Sprintf("%s: %s", o.ID, o.Why))
		}
	}
	return errors.New(strings.Join(failures, "; "))
}

// Worst returns the positions of the Outcomes that are worst by the measures below
// their gates. There are only a few.
func (r TaskReport) Worst(gates []Gate) (positions []int) {
	for _, gate := range gates {
		if value, isKnown := r.Measures.Of(gate.Measure); !isKnown || value >= gate.Least {
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
