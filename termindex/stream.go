package termindex

// A stream reads bytes of an index in order, many pages at a time.
type stream struct {
	pages   *pageReader
	at, end int64 // in the file: what is still to be read

	ahead []byte // those from at on that are here, in buf
	buf   []byte
}

// streamSize is how many bytes a stream reads at a time, if there are as many
// and nobody needs more at once.
const streamSize = 256 << 10

// left returns how many bytes are still to be read.
func (s *stream) left() int64 { return s.end - s.at }

// peek returns the bytes ahead, which are at least n and good until the next
// call. It fails if there are fewer.
func (s *stream) peek(n int64) ([]byte, error) {
	if n <= int64(len(s.ahead)) {
		return s.ahead, nil
	}
	if n > s.left() {
		return nil, invalid("a leaf of the dictionary ends early")
	}
	// Whole pages, so that none but the first is read and verified twice.
	end := (s.at + max(n, streamSize) + pageSize - 1) / pageSize * pageSize
	b, buf, err := s.pages.read(s.buf, s.at, min(end, s.end)-s.at)
	s.ahead, s.buf = b, buf
	return b, err
}

// skip passes over n bytes that were peeked at.
func (s *stream) skip(n int64) {
	s.ahead = s.ahead[n:]
	s.at += n
}
