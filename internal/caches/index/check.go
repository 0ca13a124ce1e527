package index

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/words"
)

// ErrDiffers is wrapped by errors about an index that is undamaged, but doesn't match its
// documents.
var ErrDiffers = errors.New("it is not what the documents make")

// A TermCheck compares an index with its documents. It first compares the terms, then the
// bytes of the index with the bytes that a build would write. It is safe for concurrent
// use.
type TermCheck struct {
	index  *Index
	firsts []uint32 // empty for selection 0
	audit  *Audit

	// Seeded hashes by document, because the records and the sections themselves would need
	// far more memory. The index is written again from its own.
	records, pages []uint64

	mu struct {
		sync.Mutex
		position int   // of the first document whose sections differ
		err      error // the error for it
	}
}

// NewTermCheck returns a check of x, which should be the index of n documents.
func NewTermCheck(x *Index, n int) (*TermCheck, error) {
	if x.Documents() != n {
		return nil, fmt.Errorf("%w: it lists %d documents instead of %d", ErrDiffers, x.Documents(), n)
	}
	k := &TermCheck{index: x, audit: NewAudit(x.ordinals()), records: make([]uint64, n)}
	if x.Header().Selection == 0 {
		return k, nil
	}
	var err error
	if k.firsts, err = x.Firsts(); err != nil {
		return nil, err
	}
	k.pages = make([]uint64, n)
	return k, nil
}

// At returns an [Adder] that compares the terms of the document at a position with the
// index.
func (k *TermCheck) At(position int, id document.ID) Adder { return documentCheck{k, position, id} }

type documentCheck struct {
	check    *TermCheck
	position int
	id       document.ID
}

// AddWords implements [Adder].
func (d documentCheck) AddWords(content []byte, fields []string) PageTerms {
	page := PageTerms{Words: d.check.audit.Add(d.position, content)}
	for _, f := range fields {
		d.check.audit.AddTerm(d.position, words.WeightOf([]byte(f), 1))
	}
	return page
}

// AddSections implements [Adder]. If the index contains a different number of sections,
// it doesn't call weigh.
func (d documentCheck) AddSections(n int, weigh func(i int, add func(words.TermWeight)) SectionRecord) PageTerms {
	k := d.check
	first, end := int(k.firsts[d.position]), int(k.firsts[d.position+1])
	if n != end-first {
		k.fail(d.position, fmt.Errorf("%w: %q consists of %d sections, but the index lists %d", ErrDiffers, d.id, n, end-first))
		return PageTerms{}
	}
	sections := make([]SectionRecord, n)
	for i := range sections {
		sections[i] = weigh(i, func(t words.TermWeight) { k.audit.AddTerm(first+i, t) })
	}
	k.pages[d.position] = hashPage(sections)
	return PageTerms{}
}

func hashPage(sections []SectionRecord) uint64 {
	return words.Hash(appendPage(nil, sections))
}

func hashRecord(d *Record) uint64 {
	b := make([]byte, 0, 256)
	for _, n := range []int64{
		int64(len(d.ID)), int64(len(d.Name)), d.FileSize, d.ContentOffset, d.ContentLength, int64(d.Size), int64(d.Words),
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(append(b, d.Version[:]...), d.FileSum[:]...)
	return words.Hash(append(append(b, d.ID...), d.Name...))
}

// compareRecords fails with [ErrDiffers] at the first document whose record differs from the
// record in the index.
func (k *TermCheck) compareRecords(all records) error {
	position := 0
	for d, err := range all {
		if err != nil {
			return err
		}
		if hashRecord(d) != k.records[position] {
			return fmt.Errorf("%w: the file or the size of %q differs", ErrDiffers, d.ID)
		}
		position++
	}
	return nil
}

// comparePages fails with [ErrDiffers] at the first document whose sections differ from
// those in the index.
func (k *TermCheck) comparePages(all pages) error {
	position := 0
	for page, err := range all {
		if err != nil {
			return err
		}
		if hashPage(page) != k.pages[position] {
			return fmt.Errorf("%w: the sections of %q differ", ErrDiffers, k.idOf(position))
		}
		position++
	}
	return nil
}

// fail keeps the error of the first document, by position, whose sections differ.
func (k *TermCheck) fail(position int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.mu.err == nil || position < k.mu.position {
		k.mu.position, k.mu.err = position, err
	}
}

// Add adds the document at a position. page must come from the Adder that At returned.
func (k *TermCheck) Add(position int, doc Record, page PageTerms) {
	doc.Words = page.Words
	k.records[position] = hashRecord(&doc)
}

// CompareTerms fails with [ErrDiffers] unless the terms of the index and the documents
// are equal. All documents must have been added.
func (k *TermCheck) CompareTerms() error {
	if k.mu.err != nil {
		return k.mu.err
	}
	ordinal, err := k.audit.Compare(k.index)
	if err == nil && ordinal >= 0 {
		err = fmt.Errorf("%w: the words of %q differ", ErrDiffers, k.documentOf(ordinal))
	}
	return err
}

// documentOf returns the ID of the document for the ordinal of a posting.
func (k *TermCheck) documentOf(ordinal int) document.ID {
	position := ordinal
	if k.firsts != nil {
		for position = 0; position+1 < len(k.records) && int(k.firsts[position+1]) <= ordinal; position++ {
		}
	}
	return k.idOf(position)
}

// idOf returns the ID of a document in the index, or "" if that cannot be read.
func (k *TermCheck) idOf(position int) document.ID {
	if position >= len(k.records) {
		return ""
	}
	d, _ := k.index.Document(position)
	return d.ID
}

// CompareBytes fails with [ErrDiffers] unless the file of the index contains the bytes
// that a build writes for the documents and the terms of the index. If the terms differ
// from those of the documents, the error may be [ErrInvalid] instead.
func (k *TermCheck) CompareBytes(file io.Reader) error {
	if k.mu.err != nil {
		return k.mu.err
	}
	h := k.index.Header()
	var err error
	if h.Origin, err = k.index.Origin(); err != nil {
		return err
	}
	kept := make([]int32, k.index.ordinals())
	for i := range kept {
		kept[i] = int32(i)
	}
	t := Table{records: k.index.eachRecord}
	if err := k.compareRecords(t.records); err != nil {
		return err
	}
	if h.Selection > 0 {
		all := k.index.pages(k.firsts)
		if err := k.comparePages(all); err != nil {
			return err
		}
		t.pages = all
	}
	out := &files.Comparer{With: file}
	err = Write(out, h, t, TermSources{Kept: []Kept{{k.index, kept}}})
	if err = cmp.Or(err, out.End()); errors.Is(err, files.ErrDiffers) {
		return ErrDiffers
	}
	return err
}
