package evaluation

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/base/wire"
)

// A Baseline contains the measures of an earlier [TaskReport].
type Baseline struct {
	Cache    string // version of the measured cache; "" if the report doesn't say
	Queries  int    // in the file of queries
	Measures MeasureList
	Outcomes []QueryOutcome // only IDs, texts, ranks and measures; nil if the report contains none
}

// ParseBaseline reads the output of [TaskReport.Encode], in either layout. It
// ignores unknown members. Errors begin with name, the name of the file.
func ParseBaseline(name string, data []byte) (*Baseline, error) {
	b, err := parseBaseline(data)
	if err != nil {
		return nil, fmt.Errorf("%s: it is not an evaluation report in JSON: %w", name, err)
	}
	return b, nil
}

func parseBaseline(data []byte) (*Baseline, error) {
	b := &Baseline{Queries: -1}
	d := wire.NewDecoder(data)
	err := d.Object(func(key string) (err error) {
		var n int64
		switch key {
		case "cache_version":
			b.Cache, err = d.String()
		case "queries":
			n, err = d.Int()
			b.Queries = int(n)
		case "measures":
			b.Measures, err = parseMeasures(d)
		case "each":
			err = d.Array(func() error {
				o, err := parseOutcome(d)
				b.Outcomes = append(b.Outcomes, o)
				return err
			})
		default:
			err = d.Skip()
		}
		return err
	})
	if err == nil && (b.Queries < 0 || len(b.Measures) == 0) {
		err = errors.New("it contains no queries or no measures")
	}
	return b, cmp.Or(err, d.End())
}

// Require returns an error that names each gate that the report doesn't reach, or nil.
func (b *Baseline) Require(gates []Gate) error {
	var failures []string
	for _, gate := range gates {
		if value, isKnown := b.Measures.Of(gate.Measure); isKnown && value < gate.Least {
			failures = append(failures, fmt.Sprintf("%s is %s, expected at least %s", gate.Measure, value, gate.Least))
		}
	}
	if failures == nil {
		return nil
	}
	return errors.New(strings.Join(failures, "; "))
}

// MeasureNames returns the names of the measures in the report.
func (b *Baseline) MeasureNames() (names []string) {
	for _, m := range b.Measures {
		names = append(names, m.Name)
	}
	return names
}

// Warnings returns a sentence for each difference that makes the report hard to compare
// with its baseline.
func (r TaskReport) Warnings() (warnings []string) {
	b := r.Baseline
	if b == nil {
		return nil
	}
	if b.Queries != r.Queries {
		warnings = append(warnings, fmt.Sprintf("the baseline contains %d queries and this report %d: differences do not come from the documents alone", b.Queries, r.Queries))
	}
	for _, m := range r.Measures {
		if _, known := b.Measures.Of(m.Name); !known {
			warnings = append(warnings, fmt.Sprintf("the baseline does not contain %s, so it is not compared", m.Name))
		}
	}
	for _, m := range b.Measures {
		if _, known := r.Measures.Of(m.Name); !known {
			warnings = append(warnings, fmt.Sprintf("the baseline contains %q, which is not measured now, so it is not compared", m.Name))
		}
	}
	return warnings
}
