package index

import (
	"fmt"
	"runtime"
	"slices"
)

// Sources have the terms of the documents of an index. The terms of a document are
// in the collectors or in the index before this one. The bytes that Write writes do
// not depend on which.
type Sources struct {
	// Collectors have the terms of the documents that a build compiled.
	Collectors []*Collector

	// Ordinals maps the ordinal used in Add to the final position; -1 drops the
	// document. If it is nil, the ordinals are the positions.
	Ordinals []int

	// Previous is an index that words of documents are taken over from, nil for
	// none. It is read in order, about 256 KiB at a time, and may be far larger
	// than memory.
	Previous *Index

	// Kept says for each document of Previous where among the documents it is
	// now, and -1 for one that is not taken over. The others rise.
	Kept []int

	// Jobs is how many ranges of the collectors' terms are put in order at a
	// time. Less than 1 stands for one a processor. Each takes a few hundred
	// kilobytes, and 8 bytes for each document.
	Jobs int
}

// check says why the sources are not of this number of documents.
func (s *Sources) check(documents int) error {
	previous := 0
	if s.Previous != nil {
		previous = s.Previous.ordinals()
	}
	if len(s.Kept) != previous {
		return fmt.Errorf("index: positions for %d documents of the %d before", len(s.Kept), previous)
	}
	next := 0
	for ordinal, position := range s.Kept {
		switch {
		case position == -1:
			continue
		case position < next || position >= documents:
			return fmt.Errorf("index: document %d before cannot be %d of %d now", ordinal, position, documents)
		}
		next = position + 1
	}
	return nil
}

// wrongTotal returns the error of a document whose words in the sources are not
// those that it should have.
func (s *Sources) wrongTotal(position int, total, want uint64) error {
	if slices.Contains(s.Kept, position) {
		return invalid("it has %d words of document %d and not %d", total, position, want)
	}
	return fmt.Errorf("index: %d words of document %d were added, but it has %d", total, position, want)
}

// keptTerms are the terms of the previous index that a document has which is
// taken over. They are a termSource.
type keptTerms struct {
	previous *termReader
	kept     []int
}

func (t *keptTerms) next() (text []byte, postings []Posting, err error) {
	for {
		text, postings, err = t.previous.next()
		if err != nil || len(text) == 0 {
			return nil, nil, err
		}
		if postings = t.keep(postings); len(postings) > 0 {
			return text, postings, nil
		}
	}
}

// keep returns what is kept of the postings of a term, in their place. They
// still rise, as the positions do.
func (t *keptTerms) keep(postings []Posting) []Posting {
	n := 0
	for _, p := range postings {
		if position := t.kept[p.Ordinal]; position >= 0 {
			postings[n] = Posting{uint32(position), p.Count}
			n++
		}
	}
	return postings[:n]
}

// addSources adds the terms of all sources and returns how many words each
// document has in them.
func (w *dictionaryWriter) addSources(s *Sources, documents int) (totals []uint64, err error) {
	collected := newCollectedTerms(s.Collectors, s.Ordinals, documents)
	if s.Previous != nil {
		return w.addSource(newUnion(&keptTerms{s.Previous.newTermReader(), s.Kept}, collected), documents)
	}
	jobs := s.Jobs
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return w.addCollected(collected, max(1, min(jobs, len(collected.ranges))))
}
