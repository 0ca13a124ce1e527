package index

import (
	"bytes"
	"encoding/binary"
	"sort"
	"sync"
)

// A sortedPart finds entries in a part whose entries begin with rising ordinals of
// sections. It reads only pieces of the part, and keeps them. It is safe for concurrent
// use, but must not be copied.
type sortedPart struct {
	kind partKind
	size int64 // of an entry

	mu     sync.Mutex
	pieces map[int64][]byte // by position; each contains pieceSize bytes, rounded down to entries
}

const pieceSize = blockSize

// last returns the last entry whose ordinal is at most the given ordinal, and its position.
// The entry is nil if there is none.
func (p *sortedPart) last(x *Index, ordinal uint32) (position int64, entry []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	perPiece := pieceSize / p.size
	// The entry is not in a piece before low, and in none from high on.
	low, high := int64(-1), (x.footer.length(p.kind)/p.size+perPiece-1)/perPiece
	from, to := uint32(0), uint32(x.Sections()) // ordinals around these pieces
	for tries := 0; high-low > 1; tries++ {
		piece := low + (high-low)/2
		if tries%2 == 0 && from <= ordinal && ordinal < to { // because ordinals rise evenly
			piece = low + 1 + (high-low-1)*int64(ordinal-from)/int64(to-from)
		}
		entries, err := p.read(x, piece)
		if err != nil {
			return 0, nil, err
		}
		if first := p.ordinal(entries, 0); first > ordinal {
			high, to = piece, first
			continue
		}
		low, from = piece, p.ordinal(entries, len(entries)/int(p.size)-1)
		if from >= ordinal {
			break
		}
	}
	if low < 0 {
		return 0, nil, nil
	}
	entries, err := p.read(x, low)
	if err != nil {
		return 0, nil, err
	}
	after := sort.Search(len(entries)/int(p.size), func(i int) bool { return p.ordinal(entries, i) > ordinal })
	at := int64(after - 1)
	return low*perPiece + at, entries[at*p.size:][:p.size], nil
}

func (p *sortedPart) ordinal(entries []byte, i int) uint32 {
	return binary.LittleEndian.Uint32(entries[int64(i)*p.size:])
}

// read returns the entries of a piece.
func (p *sortedPart) read(x *Index, piece int64) ([]byte, error) {
	if kept, isKept := p.pieces[piece]; isKept {
		return kept, nil
	}
	start, end := x.footer.part(p.kind)
	size := pieceSize / p.size * p.size
	start += piece * size
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	var b []byte
	var err error
	if b, *buf, err = x.blocks.read(*buf, start, min(size, end-start)); err != nil {
		return nil, err
	}
	if p.pieces == nil {
		p.pieces = map[int64][]byte{}
	}
	p.pieces[piece] = bytes.Clone(b)
	return p.pieces[piece], nil
}
