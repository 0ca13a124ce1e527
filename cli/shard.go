package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

// A shardFlag is the value I/N of a flag.
type shardFlag pipeline.Shard

func (f *shardFlag) Type() string { return "shard" }

func (f *shardFlag) String() string {
	if f.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", f.Number, f.Of)
}

func (f *shardFlag) Set(text string) error {
	number, of, _ := strings.Cut(text, "/")
	shard := pipeline.Shard{Number: shardNumber(number), Of: shardNumber(of)}
	if shard.Of == 0 || shard.Check() != nil {
		return fmt.Errorf("expected I/N, such as 1/4 to 4/4, with at most %d shards", sources.MaxShards)
	}
	*f = shardFlag(shard)
	return nil
}

// shardNumber returns 0 for anything but a plain number.
func shardNumber(text string) int {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
