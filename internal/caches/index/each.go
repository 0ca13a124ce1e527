package index

import "iter"

// EachPage yields the sections of each document, in order, and nothing for selection 0. It reads
// the index once. The sections are only valid until the next document.
func (x *Index) EachPage() iter.Seq2[[]SectionRecord, error] {
	return func(yield func([]SectionRecord, error) bool) {
		if x.Header().Selection == 0 {
			return
		}
		firsts, err := x.Firsts()
		if err != nil {
			yield(nil, err)
			return
		}
		x.pages(firsts)(yield)
	}
}

// EachTerm calls visit with each term and its postings, in order. Both are only valid during the
// call. It reads the index once, and stops at the first error of visit.
func (x *Index) EachTerm(visit func(term []byte, postings []Posting) error) error {
	for terms := x.newTermReader(); ; {
		term, postings, err := terms.next()
		if err != nil || len(term) == 0 {
			return err
		}
		if err := visit(term, postings); err != nil {
			return err
		}
	}
}
