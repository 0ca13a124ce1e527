package index

// This file connects the structures of an index with the disk. A writer cuts the bytes
// into blocks and stores a checksum of each; a reader verifies the checksum of every
// block that it reads.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/contextcompiler/context/internal/base/recent"
)

// A blockWriter forwards bytes to a writer and computes the checksum of each block. It
// stops writing at the first error and keeps it in err.
type blockWriter struct {
	out     io.Writer
	block   []byte
	written int64  // bytes before the block
	sums    []byte // encoded checksums of the blocks before it
	err     error
}

// at returns the number of bytes written so far, including the current block.
func (w *blockWriter) at() int64 { return w.written + int64(len(w.block)) }

func (w *blockWriter) write(b []byte) {
	for len(b) > 0 && w.err == nil {
		if w.block == nil {
			w.block = make([]byte, 0, blockSize)
		}
		n := min(len(b), blockSize-len(w.block))
		w.block = append(w.block, b[:n]...)
		b = b[n:]
		if len(w.block) == blockSize {
			w.endBlock()
		}
	}
}

func (w *blockWriter) endBlock() {
	if len(w.block) == 0 || w.err != nil {
		return
	}
	w.sums = binary.LittleEndian.AppendUint32(w.sums, checksum(w.block))
	w.written += int64(len(w.block))
	_, w.err = w.out.Write(w.block)
	w.block = w.block[:0]
}

// heldBlocks contains verified blocks: up to 7 MiB of the blocks used last by all indexes
// of the process.
var heldBlocks = recent.New[blockKey, []byte](7 << 20)

type blockKey struct {
	owner  recent.Owner
	number int64
}

// A blockReader reads blocks and verifies their checksums. It is safe for concurrent use
// if its reader is.
type blockReader struct {
	in    io.ReaderAt
	end   int64         // of the last block
	sums  []byte        // encoded checksums of the blocks
	owner atomic.Uint64 // of held blocks, a [recent.Owner]; 0 if blocks are not held
}

// read returns n bytes at offset at. It uses buf as scratch space and returns it, grown
// if needed. The caller must not change the bytes, because other readers may share them.
func (r *blockReader) read(buf []byte, at, n int64) (b, grown []byte, err error) {
	if at < 0 || n < 0 || n > r.end-at {
		return nil, buf, invalid("%d bytes at %d are beyond its end at %d", n, at, r.end)
	}
	if n == 0 {
		return nil, buf, nil
	}
	first := at / blockSize
	start := first * blockSize
	end := min(r.end, (at+n+blockSize-1)/blockSize*blockSize)
	if owner := r.owner.Load(); owner > 0 && end-start <= blockSize {
		b, err := r.block(blockKey{recent.Owner(owner), first}, end-start)
		if err != nil {
			return nil, buf, err
		}
		return b[at-start:][:n:n], buf, nil
	}
	if end-start > math.MaxInt {
		return nil, buf, invalid("%d bytes are more than this machine can hold", end-start)
	}
	if int64(cap(buf)) < end-start {
		buf = make([]byte, end-start)
	}
	buf = buf[:end-start]
	if err := readFull(r.in, buf, start); err != nil {
		return nil, buf, err
	}
	if err := r.verify(buf, first); err != nil {
		return nil, buf, err
	}
	return buf[at-start:][:n], buf, nil
}

// block returns the block of size bytes with a key, and holds it.
func (r *blockReader) block(key blockKey, size int64) ([]byte, error) {
	if b, isHeld := heldBlocks.Get(key); isHeld {
		return b, nil
	}
	b := make([]byte, size)
	if err := readFull(r.in, b, key.number*blockSize); err != nil {
		return nil, err
	}
	if err := r.verify(b, key.number); err != nil {
		return nil, err
	}
	heldBlocks.Put(key, b, len(b))
	return b, nil
}

// verify compares blocks with their checksums.
func (r *blockReader) verify(blocks []byte, first int64) error {
	for i := first; len(blocks) > 0; i++ {
		block := blocks[:min(blockSize, len(blocks))]
		if checksum(block) != binary.LittleEndian.Uint32(r.sums[i*checksumSize:]) {
			return invalid("block %d is damaged", i)
		}
		blocks = blocks[len(block):]
	}
	return nil
}

// readFull fills b from offset at. If the file ends early, it was truncated after it was
// opened, so the error says that it is damaged.
func readFull(in io.ReaderAt, b []byte, at int64) error {
	n, err := in.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("it ends after %d bytes", at+int64(n))
	}
	return fmt.Errorf("selection index: %w", err)
}

// A window reads bytes of an index and keeps the blocks it read last.
type window struct {
	blocks *blockReader
	ahead  int64 // bytes to read at once if that is more than a block

	kept  []byte
	start int64 // offset of kept
	buf   []byte
}

// read returns the n bytes at an offset; n must be at least 1. The next call may
// overwrite them.
func (w *window) read(at, n int64) ([]byte, error) {
	if n < 1 || n > w.blocks.end-at {
		return nil, invalid("%d bytes at %d are beyond its end at %d", n, at, w.blocks.end)
	}
	if at < w.start || at+n > w.start+int64(len(w.kept)) {
		start := at / blockSize * blockSize
		end := max((at+n+blockSize-1)/blockSize*blockSize, start+w.ahead)
		var err error
		w.kept, w.buf, err = w.blocks.read(w.buf, start, min(end, w.blocks.end)-start)
		w.start = start
		if err != nil {
			w.kept = nil
			return nil, err
		}
	}
	return w.kept[at-w.start:][:n], nil
}
