package index

import "math"

// addInputs adds the terms of a merge, which is a build that keeps every document of several
// previous indexes. It returns the sum of the counts of each ordinal.
func (w *dictionaryWriter) addInputs(m *Merger, ordinals int) (totals []uint32, err error) {
	final := placement{nil, math.MaxInt} // the ordinals in m.added are final
	sources := []termSource{newCollectedTerms(m.added.mu.all, final)}
	for _, r := range m.added.mu.runs {
		sources = append(sources, r.terms(final))
	}
	for i := range m.inputs {
		p := &m.inputs[i]
		sources = append(sources, &inputTerms{keptTerms{p.index.readTerms(m.Ahead(1)), p.places}, i})
	}
	const jobs = 2 // one encodes while the other writes
	all := mergeOf(sources)
	all.sums = true // pages gain terms by a prefix
	return w.addSource(all, ordinals, jobs)
}

// inputTerms contains the terms of an input of a merge. Its errors name the input.
type inputTerms struct {
	keptTerms
	input int
}

func (t *inputTerms) next() (text []byte, postings []Posting, err error) {
	if text, postings, err = t.keptTerms.next(); err != nil {
		err = &InputError{t.input, err}
	}
	return text, postings, err
}
