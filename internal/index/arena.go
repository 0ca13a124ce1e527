package index

// An arena holds many small pieces of memory in few large ones, so that the
// garbage collector has nothing to look at and nothing moves as it grows. A
// piece is known by its address, a number.
type arena struct {
	chunks [][]byte // the length of each is what is taken of it
}

const (
	chunkBits = 16
	chunkSize = 1 << chunkBits
)

// take returns n new bytes, all zero, and their address. A piece that is larger
// than a chunk gets one of its own.
func (a *arena) take(n int) (address uint64, piece []byte) {
	last := len(a.chunks) - 1
	if last < 0 || cap(a.chunks[last])-len(a.chunks[last]) < n {
		a.chunks = append(a.chunks, make([]byte, 0, max(n, chunkSize)))
		last++
	}
	start := len(a.chunks[last])
	a.chunks[last] = a.chunks[last][:start+n]
	return uint64(last)<<chunkBits | uint64(start), a.chunks[last][start:]
}

// at returns the bytes from an address to the end of the chunk.
func (a *arena) at(address uint64) []byte {
	return a.chunks[address>>chunkBits][address&(chunkSize-1):]
}
