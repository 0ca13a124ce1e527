package index

import (
	"bytes"
	"sort"
	"sync"
)

// framePieces find the frames of single sections. They read only pieces of the part, and keep
// them. They are safe for concurrent use, but must not be copied.
type framePieces struct {
	mu     sync.Mutex
	pieces map[int64]frames // by position; each contains framesAtOnce, or fewer at the end
}

// framesAtOnce is how many frames fit into a block.
const framesAtOnce = blockSize / frameSize

// last returns the last frame of x whose ordinal is at most the given ordinal, or nil if there
// is none.
func (p *framePieces) last(x *Index, ordinal uint32) (frames, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The frame is not in a piece before low, and in none from high on.
	low, high := int64(-1), (x.footer.length(framesKind)/frameSize+framesAtOnce-1)/framesAtOnce
	from, to := uint32(0), uint32(x.Sections()) // ordinals around these pieces
	for tries := 0; high-low > 1; tries++ {
		piece := low + (high-low)/2
		if tries%2 == 0 && from <= ordinal && ordinal < to { // because ordinals rise evenly
			piece = low + 1 + (high-low-1)*int64(ordinal-from)/int64(to-from)
		}
		found, err := p.read(x, piece)
		if err != nil {
			return nil, err
		}
		if first := found.ordinal(0); first > ordinal {
			high, to = piece, first
			continue
		}
		low, from = piece, found.ordinal(found.len()-1)
		if from >= ordinal {
			break
		}
	}
	if low < 0 {
		return nil, nil
	}
	found, err := p.read(x, low)
	if err != nil {
		return nil, err
	}
	after := sort.Search(found.len(), func(i int) bool { return found.ordinal(i) > ordinal })
	return found[(after-1)*frameSize:][:frameSize], nil
}

// read returns the frames of a piece.
func (p *framePieces) read(x *Index, piece int64) (frames, error) {
	if kept, isKept := p.pieces[piece]; isKept {
		return kept, nil
	}
	const size = framesAtOnce * frameSize
	start, end := x.footer.part(framesKind)
	start += piece * size
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	var b []byte
	var err error
	if b, *buf, err = x.blocks.read(*buf, start, min(size, end-start)); err != nil {
		return nil, err
	}
	if p.pieces == nil {
		p.pieces = map[int64]frames{}
	}
	p.pieces[piece] = bytes.Clone(b)
	return p.pieces[piece], nil
}
