package index

import (
	"bytes"
	"container/heap"
	"math"
	"math/bits"
)

// addInputs adds the terms of a merge. It returns the sum of the counts of each ordinal.
func (w *dictionaryWriter) addInputs(m *Merger, ordinals int) (totals []uint32, err error) {
	lists, err := m.lists()
	if err != nil {
		return nil, err
	}
	joined := &listJoin{totals: make([]uint32, ordinals), list: listEncoder{limit: int64(ordinals)}}
	var same []*inputTerm // with the current term
	for len(lists) > 0 && w.out.err == nil {
		same = same[:0]
		for len(lists) > 0 && (len(same) == 0 || bytes.Equal(lists[0].text, same[0].text)) {
			same = append(same, heap.Pop(&lists).(*inputTerm))
		}
		if err := joined.join(same); err != nil {
			return nil, err
		}
		list, err := joined.list.end()
		if err != nil {
			return nil, err
		}
		w.add(same[0].text, int(joined.list.n), list)
		for _, l := range same {
			if err := l.next(); err != nil {
				return nil, err
			}
			if len(l.text) > 0 {
				heap.Push(&lists, l)
			}
		}
	}
	return joined.totals, nil
}

// lists returns the first term of each input, and of the terms passed to Take.
func (m *Merger) lists() (lists inputTerms, err error) {
	for i := range m.inputs {
		p := &m.inputs[i]
		lists = append(lists, &inputTerm{input: i, reader: p.index.readTerms(m.Ahead(1)), limit: uint64(p.index.ordinals()), places: p.places})
	}
	final := placement{nil, math.MaxInt} // the ordinals in m.added are final
	added := []termSource{newCollectedTerms(m.added.mu.all, final)}
	for _, r := range m.added.mu.runs {
		added = append(added, r.terms(final))
	}
	lists = append(lists, &inputTerm{added: mergeOf(added), limit: math.MaxUint32 + 1})
	rest := lists[:0]
	for _, l := range lists {
		if err := l.next(); err != nil {
			return nil, err
		}
		if len(l.text) > 0 {
			rest = append(rest, l)
		}
	}
	heap.Init(&rest)
	return rest, nil
}

// An inputTerm is the current term of an input, and its posting list.
type inputTerm struct {
	input  int
	reader *termReader // nil if the terms come from added
	added  termSource
	limit  uint64   // of the ordinals in the list
	places []uint32 // by ordinal; nil if the ordinals are final

	text    []byte // empty after the last term
	left    int64  // postings after the current posting
	current Posting
	isKnown bool // whether current is a posting of the list

	// The postings after the current posting.
	decoded []Posting // of added terms
	isDense bool
	dense   denseReader
	rest    []byte // unless the list is dense
	ordinal uint64 // after the current posting
}

// next moves to the next term, and to its first posting.
func (l *inputTerm) next() (err error) {
	var list []byte
	if l.reader != nil {
		l.text, list, l.left, err = l.reader.nextList()
	} else {
		l.text, l.decoded, err = l.added.next()
	}
	if err != nil || len(l.text) == 0 {
		return l.fail(err)
	}
	return l.fail(l.begin(list))
}

// begin moves to the first posting of a list.
func (l *inputTerm) begin(list []byte) (err error) {
	l.rest, l.ordinal = list, 0
	if l.isDense = l.added == nil && isDense(l.left, int64(l.limit)); l.isDense {
		l.dense = denseReader{}
		if l.dense.denseParts, err = cutDense(list, l.left, int64(l.limit)); err != nil {
			return err
		}
	}
	return l.step()
}

// fail returns an error about the input, if any.
func (l *inputTerm) fail(err error) error {
	if err == nil || l.reader == nil {
		return err
	}
	return &InputError{l.input, err}
}

// step moves to the next posting. After the last posting, isKnown is false.
func (l *inputTerm) step() (err error) {
	if l.added != nil {
		if l.isKnown = len(l.decoded) > 0; l.isKnown {
			l.current, l.decoded = l.decoded[0], l.decoded[1:]
		}
		return nil
	}
	if l.isKnown = l.left > 0; !l.isKnown {
		return l.checkEnd()
	}
	l.left--
	if l.isDense {
		l.current, err = l.dense.next()
		l.ordinal = uint64(l.current.Ordinal) + 1
	} else {
		step, count, size := decodeShort(l.rest)
		if size == 0 {
			step, count, size = decodePosting(l.rest)
		}
		if size == 0 {
			return invalid("the postings of a term are malformed")
		}
		l.rest = l.rest[size:]
		l.ordinal += uint64(step) + 1
		l.current = Posting{uint32(l.ordinal - 1), count}
	}
	if err == nil && l.ordinal > l.limit {
		err = invalid("the postings of a term exceed the documents")
	}
	if err == nil && l.places != nil {
		l.current.Ordinal = l.places[l.current.Ordinal]
	}
	return err
}

// checkEnd fails unless the list ends after its last posting.
func (l *inputTerm) checkEnd() error {
	if l.isDense {
		return l.dense.check()
	}
	if len(l.rest) > 0 {
		return invalid("the postings of a term end early")
	}
	return nil
}

// inputTerms is a heap with the first term, in the order of terms, at the front.
type inputTerms []*inputTerm

func (l inputTerms) Len() int           { return len(l) }
func (l inputTerms) Less(i, j int) bool { return bytes.Compare(l[i].text, l[j].text) < 0 }
func (l inputTerms) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *inputTerms) Push(x any)        { *l = append(*l, x.(*inputTerm)) }
func (l *inputTerms) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// A listEncoder encodes the posting list of a term while its postings arrive, so it never
// keeps them in memory.
type listEncoder struct {
	limit int64 // of the ordinals

	n       int64 // postings so far
	isDense bool  // whether the list can become dense
	dense   denseParts
	next    uint32 // ordinal
	list    []byte // unless isDense
}

// begin begins a list of at most n postings.
func (e *listEncoder) begin(n int64) {
	e.n, e.next, e.list = 0, 0, e.list[:0]
	if e.isDense = isDense(n, e.limit); e.isDense {
		e.dense.begin(min(n, e.limit), e.limit)
	}
}

func (e *listEncoder) add(p Posting) {
	e.n++
	if e.isDense {
		e.dense.add(p)
		return
	}
	e.list = appendPosting(e.list, p.Ordinal-e.next, p.Count)
	e.next = p.Ordinal + 1
}

// end returns the list, which is valid until the next call of begin.
func (e *listEncoder) end() ([]byte, error) {
	if !e.isDense {
		return e.list, nil
	}
	if isDense(e.n, e.limit) {
		e.list = e.dense.appendTo(e.list)
		return e.list, nil
	}
	// There are fewer postings than expected, because lists had ordinals in common.
	n := e.n
	e.n, e.isDense = 0, false
	for all := (denseReader{denseParts: e.dense}); e.n < n; {
		p, err := all.next()
		if err != nil {
			return nil, err
		}
		e.add(p)
	}
	return e.list, nil
}

// A listJoin joins posting lists. Instead of comparing the ordinals of all lists, it
// scatters the postings over a window of ordinals, and then collects them in order.
type listJoin struct {
	totals []uint32 // sums of the counts
	list   listEncoder

	isField bool // whether the term is a field, which totals leave out
	counts  [windowSize]uint32
	used    [windowSize / 64]uint64 // bits of the counts that aren't 0
}

const windowSize = 1 << 16

// join joins the posting lists of a term, whose first postings are known.
func (j *listJoin) join(lists []*inputTerm) error {
	most := int64(0)
	for _, l := range lists {
		most += 1 + l.left + int64(len(l.decoded))
	}
	j.list.begin(most)
	j.isField = isField(lists[0].text)
	if len(lists) == 1 {
		l := lists[0]
		for l.isKnown {
			j.add(l.current)
			if err := l.step(); err != nil {
				return l.fail(err)
			}
		}
		return nil
	}
	for {
		start, isLeft := uint32(0), false
		for _, l := range lists {
			if l.isKnown && (!isLeft || l.current.Ordinal < start) {
				start, isLeft = l.current.Ordinal, true
			}
		}
		if !isLeft {
			return nil
		}
		last := 0 // of the window
		for _, l := range lists {
			for l.isKnown && l.current.Ordinal-start < windowSize {
				at := int(l.current.Ordinal - start)
				j.counts[at] += l.current.Count
				j.used[at/64] |= 1 << (at % 64)
				last = max(last, at)
				if err := l.step(); err != nil {
					return l.fail(err)
				}
			}
		}
		j.collect(start, last)
	}
}

// collect appends the postings of the window from start to last, and empties it.
func (j *listJoin) collect(start uint32, last int) {
	for i := range j.used[:last/64+1] {
		for set := j.used[i]; set != 0; set &= set - 1 {
			at := i*64 + bits.TrailingZeros64(set)
			j.add(Posting{start + uint32(at), j.counts[at]})
			j.counts[at] = 0
		}
		j.used[i] = 0
	}
}

func (j *listJoin) add(p Posting) {
	j.list.add(p)
	if !j.isField {
		j.totals[p.Ordinal] += p.Count
	}
}
