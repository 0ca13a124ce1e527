package sources

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
)

// These numbers are int.from_bytes(hashlib.sha256(id.encode()).digest()[:8], "big") % n + 1
// in Python. They must never change, because shards built by different releases go together.
func TestShardsAreFrozen(t *testing.T) {
	for id, numbers := range map[document.ID]map[int]int{
		"guide/install.md":   {2: 2, 3: 3, 4: 4, 7: 2, 10_000: 5800},
		"notes.md":           {2: 2, 3: 3, 4: 2, 7: 2, 10_000: 4298},
		"readme.md":          {2: 2, 3: 1, 4: 4, 7: 7, 10_000: 8824},
		"guide/überblick.md": {2: 1, 3: 3, 4: 3, 7: 5, 10_000: 5547},
		"a.md":               {2: 2, 3: 3, 4: 2, 7: 5, 10_000: 2334},
	} {
		for of, number := range numbers {
			if !(Shard{number, of}).contains(id) {
				t.Errorf("%s: shard %d/%d doesn't contain it", id, number, of)
			}
		}
	}
}

func TestEachPageBelongsToOneShard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfDistinct(rapid.String(), func(id string) string { return id }).Draw(t, "IDs")
		of := rapid.IntRange(1, 9).Draw(t, "shards")
		var all Discovery
		for _, id := range ids {
			all.Documents = append(all.Documents, Source{ID: document.ID(id)})
		}
		found := map[document.ID]int{}
		for number := 1; number <= of; number++ {
			part := all.InShard(Shard{number, of})
			for _, source := range part.Documents {
				found[source.ID]++
			}
			if len(part.Documents)+part.Elsewhere != len(ids) {
				t.Errorf("%d documents here and %d elsewhere, want %d", len(part.Documents), part.Elsewhere, len(ids))
			}
		}
		for id, n := range found {
			if n != 1 {
				t.Errorf("%q is in %d shards", id, n)
			}
		}
		if len(found) != len(ids) {
			t.Errorf("got %d documents, want %d", len(found), len(ids))
		}
	})
}

func TestShardsAreChecked(t *testing.T) {
	for shard, want := range map[Shard]bool{
		{}: true, {1, 1}: true, {10_000, 10_000}: true, {3, 4}: true,
		{0, 1}: false, {2, 1}: false, {1, 0}: false, {-1, 1}: false, {1, 10_001}: false,
	} {
		if got := shard.Check() == nil; got != want {
			t.Errorf("%v: got %v, want %v", shard, got, want)
		}
	}
}
