package sources

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/contextcompiler/context/document"
)

// MaxShards is the largest number of shards.
const MaxShards = 10_000

// A Shard is a part of the pages of a build, chosen by their IDs. Package pipeline
// documents it for users.
type Shard struct {
	Number int // from 1 to Of
	Of     int // number of shards, at most [MaxShards]; 0 means that the build isn't sharded
}

// Check fails unless the shard is zero or one of 1/Of to Of/Of.
func (s Shard) Check() error {
	if s == (Shard{}) || 1 <= s.Number && s.Number <= s.Of && s.Of <= MaxShards {
		return nil
	}
	return fmt.Errorf("expected a shard from 1/N to N/N of at most %d shards, got %d/%d", MaxShards, s.Number, s.Of)
}

// contains reports whether a page belongs to the shard, as docs/format.md specifies.
func (s Shard) contains(id document.ID) bool {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.Number-1)
}

// InShard returns the part of d in a shard. Its warnings stay the same, because they are
// about the sources as a whole.
func (d Discovery) InShard(s Shard) Discovery {
	if s == (Shard{}) {
		return d
	}
	all := d.Documents
	d.Documents = nil
	for _, source := range all {
		if s.contains(source.ID) {
			d.Documents = append(d.Documents, source)
		}
	}
	d.Elsewhere += len(all) - len(d.Documents)
	return d
}
