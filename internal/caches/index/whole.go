package index

import (
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/recent"
)

// A Whole is an index of which every block has been verified, so its documents can be found
// by ID. It keeps a few bytes for each document, and reads the rest again.
type Whole struct {
	*Index
	firsts []uint32                   // what Firsts returns, for selection 1
	marks  []document.ID              // of the first document of each group
	groups *recent.Map[int, []Record] // the records of consecutive documents
}

// A build looks for documents in about the order of their IDs, from several goroutines.
const (
	groupSize    = 64 // documents
	recentGroups = 16
)

// Read reads and verifies all of x. It fails with [ErrInvalid] if any part of it is
// damaged, if its documents are not in the order of their IDs, or if a record of a document
// or a term is impossible. It doesn't decode the postings, because that would take as long as
// the rest of a rebuild; a build that writes them again fails instead.
func Read(x *Index) (*Whole, error) {
	w := &Whole{Index: x, groups: recent.New[int, []Record](recentGroups)}
	err := x.Check()
	if err != nil {
		return nil, err
	}
	if err = w.mark(); err == nil {
		err = x.checkDictionary()
	}
	if err != nil || x.Header().Selection == 0 {
		return w, err
	}
	if w.firsts, err = x.Firsts(); err != nil {
		return w, err
	}
	numbers, err := x.SectionNumbers()
	if err == nil && !numbers.haveWindows() {
		err = invalid("the windows of its sections don't match their lengths")
	}
	return w, err
}

// mark checks every record and sets the marks.
func (w *Whole) mark() error {
	r := w.NewRecordReader(readAhead)
	last := document.ID("")
	for i := range w.Documents() {
		d, err := r.Next()
		if err != nil {
			return err
		}
		if i > 0 && d.ID <= last {
			return invalid("document %d is not in order", i)
		}
		if i%groupSize == 0 {
			w.marks = append(w.marks, d.ID)
		}
		last = d.ID
	}
	return nil
}

// Find returns the document with an ID and its ordinal. It is not found if the ordinal is
// negative. Find is safe for concurrent use, and fastest if most IDs rise.
func (w *Whole) Find(id document.ID) (d Record, ordinal int, err error) {
	number, isMark := slices.BinarySearch(w.marks, id)
	if !isMark {
		number--
	}
	if number < 0 {
		return d, -1, nil
	}
	records, err := w.group(number)
	if err != nil {
		return d, -1, err
	}
	i, found := slices.BinarySearchFunc(records, id, func(d Record, id document.ID) int {
		return strings.Compare(string(d.ID), string(id))
	})
	if !found {
		return d, -1, nil
	}
	return records[i], number*groupSize + i, nil
}

// group returns the records of a group, which nobody changes.
func (w *Whole) group(number int) ([]Record, error) {
	if records, isHeld := w.groups.Get(number); isHeld {
		return records, nil
	}
	first := number * groupSize
	records := make([]Record, min(groupSize, w.Documents()-first))
	r := w.NewRecordReader(blockSize)
	for i := range records {
		d, err := r.at(first + i)
		if err != nil {
			return nil, err
		}
		records[i] = *d
	}
	w.groups.Put(number, records, 1)
	return records, nil
}

// sectionsOf returns the ordinal of the first section of a document, and the number of
// its sections. For selection 0, it returns the ordinal of the document.
func (w *Whole) sectionsOf(ordinal int) (first, n int) {
	if w.Header().Selection == 0 {
		return ordinal, 1
	}
	return int(w.firsts[ordinal]), int(w.firsts[ordinal+1] - w.firsts[ordinal])
}
