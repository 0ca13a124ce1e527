package index

import (
	"io"

	"github.com/contextcompiler/context/internal/base/files"
)

// A pageStore contains the sections or the lines of pages as bytes, in blocks. If it exceeds
// a bound, its blocks move from memory to a scratch file.
type pageStore struct {
	out    blockWriter
	blocks spool // written by out
	window window
}

func (s *pageStore) add(b []byte) (address int64) {
	s.out.out = &s.blocks
	address = s.out.at()
	s.out.write(b)
	return address
}

// finish ends the last block. Afterwards, call read, but not add.
func (s *pageStore) finish() {
	s.out.out = &s.blocks
	s.out.endBlock()
	s.window = window{blocks: &blockReader{in: &s.blocks, end: s.out.at(), sums: s.out.sums}, ahead: readAhead}
}

// read returns n bytes at an address. The next call may overwrite them. It is fastest if
// most addresses rise.
func (s *pageStore) read(address int64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := s.window.read(address, int64(n))
	if err != nil {
		return nil, scratchError(s.blocks.file, err)
	}
	return b, nil
}

// A spool contains bytes. Its first bytes can be in a scratch file; the others are in
// memory.
type spool struct {
	file   files.Scratch // nil until bytes move to it
	filed  int64         // bytes in the file
	memory arena         // the remaining bytes, in chunks; all except the last are full
}

// Write adds a block. Only the last block may be shorter than the others.
func (s *spool) Write(block []byte) (int, error) {
	_, piece := s.memory.take(len(block))
	return copy(piece, block), nil
}

func (s *spool) spill(create func() (files.Scratch, error)) error {
	if s.file == nil {
		file, err := create()
		if err != nil {
			return scratchError(nil, err)
		}
		s.file = file
	}
	for _, chunk := range s.memory.chunks {
		if _, err := s.file.Write(chunk); err != nil {
			return scratchError(s.file, err)
		}
		s.filed += int64(len(chunk))
	}
	s.memory.reset()
	return nil
}

// ReadAt implements [io.ReaderAt].
func (s *spool) ReadAt(p []byte, at int64) (n int, err error) {
	if at < s.filed {
		n, err = s.file.ReadAt(p[:min(int64(len(p)), s.filed-at)], at)
		if err != nil && n < len(p) {
			return n, err
		}
	}
	for n < len(p) {
		address := uint64(at + int64(n) - s.filed)
		if address>>chunkBits >= uint64(len(s.memory.chunks)) {
			return n, io.EOF
		}
		copied := copy(p[n:], s.memory.at(address))
		if copied == 0 {
			return n, io.EOF
		}
		n += copied
	}
	return n, nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
	*s = spool{}
}
