package index

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
)

// A Line is a document in the index that a Builder writes. It refers to one of three places:
//
//   - a document of a previous index, if Kept isn't 0;
//   - what [Builder.Store] took, if Stored isn't 0;
//   - otherwise, what Record and Terms contain.
type Line struct {
	Record Record    // without its words; for the other places, only its ID, version and name
	Terms  PageTerms // returned by AddWords or AddSections
	Kept   int       // ordinal in a previous index plus 1
	From   int       // position of that index
	Stored int64     // result of Store
}

// storedSize is the number of bytes of a line in a store: ten numbers, the address of the
// sections, and the hash of the file.
const storedSize = 10*numberSize + 8 + sha256.Size

// Store takes the record and the terms of a document, except for its ID, its version and
// its name. The caller only needs to remember the result, which is never 0. Therefore, a
// build needs little memory for each document.
func (b *Builder) Store(d Record, page PageTerms) (stored int64) {
	le := binary.LittleEndian
	line := make([]byte, 0, storedSize)
	for _, n := range []int{
		int(d.FileSize), int(d.ContentOffset), int(d.ContentLength), d.Size, page.Words, page.added, page.sections, page.size, page.kept, page.from,
	} {
		line = le.AppendUint32(line, uint32(n))
	}
	line = append(le.AppendUint64(line, uint64(page.address)), d.FileSum[:]...)
	b.mu.Lock()
	defer b.mu.Unlock()
	stored = b.mu.lines.add(line) + 1
	b.spillStore(&b.mu.lines, linesShare)
	return stored
}

// fill adds what Store took to a line.
func (b *Builder) fill(line *Line) error {
	stored, err := b.mu.lines.read(line.Stored-1, storedSize)
	if err != nil {
		return err
	}
	le, d := binary.LittleEndian, &line.Record
	at := func(i int) int { return int(le.Uint32(stored[i*numberSize:])) }
	d.FileSize, d.ContentOffset, d.ContentLength, d.Size = int64(at(0)), int64(at(1)), int64(at(2)), at(3)
	line.Terms = PageTerms{Words: at(4), added: at(5), sections: at(6), size: at(7), kept: at(8), from: at(9)}
	line.Terms.address = int64(le.Uint64(stored[10*numberSize:]))
	d.FileSum = [sha256.Size]byte(stored[10*numberSize+8:])
	return nil
}

// storedLines are the lines of an index that a Builder writes. It reads what they refer to
// again in every iteration, instead of keeping all of it in memory.
type storedLines struct {
	builder  *Builder
	lines    iter.Seq[Line]
	previous []*Whole
}

// each yields the lines with what Store took. They are valid until the next iteration.
func (s storedLines) each(yield func(*Line, error) bool) {
	var current Line
	for line := range s.lines {
		current = line
		var err error
		if line.Kept == 0 && line.Stored > 0 {
			err = s.builder.fill(&current)
		}
		if !yield(&current, err) || err != nil {
			return
		}
	}
}

// records yields the record of each line.
func (s storedLines) records(yield func(*Record, error) bool) {
	readers := make([]*RecordReader, len(s.previous))
	for i, p := range s.previous {
		readers[i] = p.NewRecordReader(ahead(4 * len(s.previous))) // because it reads up to four parts
	}
	for line, err := range s.each {
		d := &line.Record
		d.Words = line.Terms.Words
		if line.Kept > 0 {
			name := d.Name
			if d, err = readers[line.From].at(line.Kept - 1); err == nil {
				d.Name = name
			} else {
				err = &KeptError{line.From, err}
			}
		}
		if !yield(d, err) || err != nil {
			return
		}
	}
}

// pages yields the sections of each line.
func (s storedLines) pages(yield func([]SectionRecord, error) bool) {
	readers := make([]*sectionReader, len(s.previous))
	for i, p := range s.previous {
		readers[i] = p.readSections(ahead(3 * len(s.previous)))
	}
	var stored []SectionRecord
	for line, err := range s.each {
		var page []SectionRecord
		switch {
		case err != nil:
		case line.Kept > 0:
			page, err = readers[line.From].read(s.previous[line.From].sectionsOf(line.Kept - 1))
			if err != nil {
				err = &KeptError{line.From, err}
			}
		default:
			stored, err = s.builder.readPage(stored, line.Terms)
			page = stored
		}
		if !yield(page, err) || err != nil {
			return
		}
	}
}
