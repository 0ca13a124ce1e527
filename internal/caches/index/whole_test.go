package index_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/caches/index"
)

// Several goroutines look for documents in any order, far more than are kept in memory.
func TestAWholeIndexFindsItsDocuments(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		m := modelOf(selection, numbered(3000, 9))
		whole, err := index.Read(open(t, m.write(t)))
		if err != nil {
			t.Fatal(err)
		}
		var finding sync.WaitGroup
		for seed := range 4 {
			finding.Go(func() {
				for _, i := range rand.New(rand.NewPCG(1, uint64(seed))).Perm(len(m.pages)) {
					want := m.pages[i].Record
					got, ordinal, err := whole.Find(want.ID)
					if err != nil || ordinal != i || got.ID != want.ID || got.Version != want.Version || got.Name != want.Name {
						t.Errorf("%s: got %v at %d, %v, want %d", want.ID, got, ordinal, err, i)
					}
				}
			})
		}
		finding.Wait()
		last := len(m.pages) - 1
		for _, id := range []document.ID{"", "\x00", m.pages[0].ID + "\x00", m.pages[64].ID + "\x00", m.pages[last].ID + "\x00", "\xff"} {
			if got, ordinal, err := whole.Find(id); ordinal >= 0 || err != nil {
				t.Errorf("%q: got %v, %v, want nothing", id, got, err)
			}
		}
	})
	empty, err := index.Read(open(t, modelOf(1, nil).write(t)))
	if err != nil {
		t.Fatal(err)
	}
	if _, ordinal, err := empty.Find("a.md"); ordinal >= 0 || err != nil {
		t.Errorf("got %d, %v, want nothing", ordinal, err)
	}
}
