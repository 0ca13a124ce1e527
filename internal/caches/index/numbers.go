package index

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// WindowSize is the number of sections of a window, see [WindowNumbers].
const WindowSize = 1 << 12

// Sizes of encoded columns in bytes.
const (
	cellSize    = 2 // of a section
	longSize    = 8 // of a section with a long length
	windowBytes = 20
)

// A cell contains the traits of a section and above them its length, unless it is long.
// Since few sections are long, cells take two fifths of the space of full numbers, and
// the first question of a process reads all of them.
const (
	traitBits  = 3
	longLength = 1<<(8*cellSize-traitBits) - 1

	firstTrait     = 1 // of the first section of each page, and of no other
	continuesTrait = 2 // never of a first section
)

// SectionNumbers contain the length and the traits of each section. They stay encoded, because
// most questions need few of them. They never change.
type SectionNumbers struct {
	Windows []WindowNumbers // of the sections in order

	cells []byte
	long  longLengths
}

// WindowNumbers describe WindowSize consecutive sections, or fewer at the end.
type WindowNumbers struct {
	Total    uint64 // of the lengths
	Shortest uint32 // length
	Page     uint32 // of the first section
	Traits   uint8  // of all sections together
}

// NewSectionNumbers returns the numbers of sections with these lengths and traits.
func NewSectionNumbers(lengths []uint32, traits []uint8) *SectionNumbers {
	var n numbersMaker
	for ordinal, length := range lengths {
		n.add(length, traits[ordinal])
	}
	return &n.SectionNumbers
}

// A numbersMaker makes the numbers of sections that are added in order.
type numbersMaker struct {
	SectionNumbers
	pages uint32 // so far
}

func (n *numbersMaker) add(length uint32, traits uint8) {
	ordinal := uint32(n.Len())
	n.pages += uint32(traits & firstTrait)
	if ordinal%WindowSize == 0 {
		n.Windows = append(n.Windows, WindowNumbers{Shortest: length, Page: max(n.pages, 1) - 1})
	}
	w := &n.Windows[len(n.Windows)-1]
	w.Total += uint64(length)
	w.Shortest = min(w.Shortest, length)
	w.Traits |= traits
	n.cells = binary.LittleEndian.AppendUint16(n.cells, uint16(min(length, longLength)<<traitBits)|uint16(traits))
	if length >= longLength {
		n.long = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(n.long, ordinal), length)
	}
}

// Len returns the number of sections.
func (n *SectionNumbers) Len() int { return len(n.cells) / cellSize }

// Length returns the sum of the weights of the terms of a section.
func (n *SectionNumbers) Length(ordinal uint32) uint32 {
	return n.long.lengthOf(ordinal, n.cells[int(ordinal)*cellSize:])
}

// Traits returns the traits of a section, see package sections.
func (n *SectionNumbers) Traits(ordinal uint32) uint8 {
	return traitsOf(n.cells[int(ordinal)*cellSize:])
}

// PageOf returns the page of a section, and the first section of that page.
func (n *SectionNumbers) PageOf(ordinal uint32) (page, first uint32) {
	window := ordinal / WindowSize
	page = n.Windows[window].Page
	before := n.cells[(int(window)*WindowSize+1)*cellSize : (int(ordinal)+1)*cellSize]
	firsts, _ := countFirsts(before)
	page += firsts
	first = ordinal
	for first > 0 && n.Traits(first)&firstTrait == 0 {
		first--
	}
	return page, first
}

// countFirsts returns how many cells are of first sections, and whether one of these claims to
// continue the section before it.
func countFirsts(cells []byte) (firsts uint32, continues bool) {
	const four = firstTrait | firstTrait<<16 | firstTrait<<32 | firstTrait<<48
	odd := uint64(0)
	for ; len(cells) >= 8; cells = cells[8:] {
		word := binary.LittleEndian.Uint64(cells)
		firsts += uint32(bits.OnesCount64(word & four))
		odd |= (word & four) * continuesTrait & word
	}
	for ; len(cells) > 0; cells = cells[cellSize:] {
		traits := traitsOf(cells)
		firsts += uint32(traits & firstTrait)
		odd |= uint64((traits & firstTrait) * continuesTrait & traits)
	}
	return firsts, odd != 0
}

// check fails unless each section is on one of these pages, and no first section of a page
// claims to continue another. Otherwise, the first section of a page might not exist.
func (n *SectionNumbers) check(pages int) error {
	page := uint32(0)
	for i, w := range n.Windows {
		cells := n.cells[i*WindowSize*cellSize : min((i+1)*WindowSize, n.Len())*cellSize]
		before := page
		firsts, continues := countFirsts(cells)
		page += firsts
		if i == 0 && traitsOf(cells)&firstTrait == 0 || continues || w.Page != before+uint32(traitsOf(cells)&firstTrait)-1 {
			return invalid("the traits of its sections are impossible")
		}
	}
	if int(page) != pages {
		return invalid("its sections are on %d pages instead of %d", page, pages)
	}
	return nil
}

func traitsOf(cell []byte) uint8 { return cell[0] & (1<<traitBits - 1) }

// With returns the set of sections with a trait, which is a single bit: 64 sections a word,
// lowest bit first.
func (n *SectionNumbers) With(trait uint8) []uint64 {
	set, shift := make([]uint64, wordsOf(int64(n.Len()))), bits.TrailingZeros8(trait)
	for i := range n.Windows {
		if n.Windows[i].Traits&trait == 0 {
			continue
		}
		for ordinal := i * WindowSize; ordinal < min((i+1)*WindowSize, n.Len()); ordinal++ {
			set[ordinal/64] |= uint64(n.Traits(uint32(ordinal))>>shift&1) << (ordinal % 64)
		}
	}
	return set
}

// haveWindows reports whether the windows describe the sections.
func (n *SectionNumbers) haveWindows() bool {
	var again numbersMaker
	for ordinal := range uint32(n.Len()) {
		again.add(n.Length(ordinal), n.Traits(ordinal))
	}
	return slices.Equal(again.Windows, n.Windows)
}

func (w *WindowNumbers) appendTo(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, w.Total)
	dst = binary.LittleEndian.AppendUint32(dst, w.Shortest)
	dst = binary.LittleEndian.AppendUint32(dst, w.Page)
	return binary.LittleEndian.AppendUint32(dst, uint32(w.Traits))
}

func decodeWindow(b []byte) WindowNumbers {
	le := binary.LittleEndian
	return WindowNumbers{le.Uint64(b), le.Uint32(b[8:]), le.Uint32(b[12:]), uint8(le.Uint32(b[16:]))}
}

// longLengths are the encoded ordinals and lengths of sections whose length doesn't fit
// into a cell, sorted by ordinal.
type longLengths []byte

// lengthOf returns the length of the section with this cell. If a long section is missing,
// which only a forged index allows, it returns the least of the long lengths.
func (l longLengths) lengthOf(ordinal uint32, cell []byte) uint32 {
	le := binary.LittleEndian
	if length := uint32(le.Uint16(cell) >> traitBits); length < longLength {
		return length
	}
	if entry := findSparse(l, longSize, ordinal); entry != nil {
		return le.Uint32(entry[4:])
	}
	return longLength
}

// SectionNumbers returns the length and the traits of all sections.
func (x *Index) SectionNumbers() (*SectionNumbers, error) {
	cells, err := x.readPart(lengthsKind)
	if err != nil {
		return nil, err
	}
	long, err := x.readLong()
	if err != nil {
		return nil, err
	}
	encoded, err := x.readPart(windowsKind)
	if err != nil {
		return nil, err
	}
	n := &SectionNumbers{cells: cells, long: long}
	if want := (n.Len() + WindowSize - 1) / WindowSize * windowBytes; len(encoded) != want {
		return nil, invalid("its windows are %d bytes long instead of %d", len(encoded), want)
	}
	for ; len(encoded) > 0; encoded = encoded[windowBytes:] {
		n.Windows = append(n.Windows, decodeWindow(encoded))
	}
	if x.Header().Selection == 0 {
		return n, nil
	}
	return n, n.check(x.Documents())
}

func (x *Index) readLong() (longLengths, error) {
	return x.readSparse(&x.long, longKind, longSize)
}
