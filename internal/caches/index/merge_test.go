package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// A partition says which input contains each page, and which terms a merge adds to the
// sections of the page.
type partition struct {
	of    []int
	added [][]string
}

// drawPartition draws a partition of m into at most 5 inputs, and adds its terms to m.
// It returns the inputs.
func drawPartition(t *rapid.T, m *model) (partition, []model) {
	p := partition{added: make([][]string, len(m.pages))}
	inputs := make([]model, rapid.IntRange(1, 5).Draw(t, "inputs"))
	for i := range inputs {
		inputs[i].selection = m.selection
	}
	for i := range m.pages {
		at := rapid.IntRange(0, len(inputs)-1).Draw(t, "input")
		p.of = append(p.of, at)
		inputs[at].pages = append(inputs[at].pages, clonePage(m.pages[i]))
		if m.selection == 0 {
			continue
		}
		p.added[i] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "guide", strings.Repeat("x", 60)}), 0, 2, rapid.ID).Draw(t, "added")
		for u := range m.pages[i].units {
			m.pages[i].units[u].add(p.added[i])
		}
	}
	return p, inputs
}

func clonePage(p page) page {
	p.units = slices.Clone(p.units)
	return p
}

// addedWeight is the weight of each term that a merge adds.
const addedWeight = 2

func (u *postingUnit) add(terms []string) {
	weights := map[string]uint32{}
	for term, weight := range u.weights {
		weights[term] = min(weight, 1<<20)
	}
	for _, term := range terms {
		weights[term] += addedWeight
	}
	u.weights = weights
	u.section.Length = u.sum()
}

// mergeOf merges inputs to the index of m.
func mergeOf(t rapid.TB, m model, p partition, inputs [][]byte, memory int) ([]byte, error) {
	t.Helper()
	var indexes []*index.Index
	for _, data := range inputs {
		indexes = append(indexes, open(t, data))
	}
	var scratch scratchFiles
	merger, err := index.NewMerger(indexes, scratch.make, memory)
	if err != nil {
		return nil, err
	}
	defer func() {
		merger.Close()
		if scratch.closed < scratch.made {
			t.Fatalf("it made %d scratch files and closed %d", scratch.made, scratch.closed)
		}
	}()
	for i, at := range p.of {
		var added []words.TermWeight
		for _, term := range p.added[i] {
			added = append(added, words.WeightOf([]byte(term), addedWeight))
		}
		if err := merger.Take(at, added); err != nil {
			return nil, err
		}
	}
	if got := slices.Collect(merger.Order); !slices.Equal(got, p.of) {
		t.Fatalf("got the order %v, want %v", got, p.of)
	}
	var out bytes.Buffer
	err = merger.Write(&out, m.header(), m.records())
	return out.Bytes(), err
}

func (m model) records() iter.Seq2[*index.Record, error] {
	return func(yield func(*index.Record, error) bool) {
		for i := range m.pages {
			if !yield(&m.pages[i].Record, nil) {
				return
			}
		}
	}
}

// The inputs of a merge don't show: the result is the index that a build writes.
func TestAMergeIsTheIndexOfAllPages(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawModel(t, selection)
			for i := range m.pages {
				for u := range m.pages[i].units {
					if selection > 0 {
						m.pages[i].units[u].add(nil) // bounds the weights
					}
				}
			}
			p, parts := drawPartition(t, &m)
			var inputs [][]byte
			for _, part := range parts {
				inputs = append(inputs, part.write(t))
			}
			got, err := mergeOf(t, m, p, inputs, rapid.SampledFrom([]int{0, 1}).Draw(t, "memory"))
			if err != nil {
				t.Fatal(err)
			}
			if want := m.write(t); !bytes.Equal(got, want) {
				t.Fatal("the bytes differ")
			}
		})
	})
}

// Posting lists of frequent terms are longer than the part that a merge joins at a time.
func TestAMergeJoinsLongPostingLists(t *testing.T) {
	m := model{}
	p := partition{}
	inputs := make([]model, 3)
	for number := range 150_000 {
		at := number % 7 % 3
		if number > 140_000 {
			at = 1
		}
		content := "the"
		if number%70_000 == 1 {
			content = "the rare the"
		}
		m.pages = append(m.pages, newPage(number, unitOf(0, number, 0, []byte(content))))
		inputs[at].pages = append(inputs[at].pages, m.pages[number])
		p.of, p.added = append(p.of, at), append(p.added, nil)
	}
	var written [][]byte
	for _, input := range inputs {
		written = append(written, input.write(t))
	}
	got, err := mergeOf(t, m, p, written, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.write(t); !bytes.Equal(got, want) {
		t.Fatal("the bytes differ")
	}
}

// Damage of an input fails the merge, or it is in a part that the merge doesn't read.
func TestADamagedInputNeverChangesAMerge(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		var text strings.Builder // of several blocks
		for i := range 9000 {
			fmt.Fprintf(&text, "%x ", i)
		}
		m := modelOf(selection, [][]byte{[]byte("a b c"), []byte(text.String()), []byte("c d e"), []byte(text.String())})
		p := partition{added: make([][]string, len(m.pages))}
		parts := []model{{selection: selection}, {selection: selection}}
		for i := range m.pages {
			p.of = append(p.of, i%2)
			parts[i%2].pages = append(parts[i%2].pages, m.pages[i])
		}
		inputs := [][]byte{parts[0].write(t), parts[1].write(t)}
		sound, want := inputs[1], m.write(t)
		refused := 0
		for at := 16; at < len(sound); at += len(sound) / 100 {
			inputs[1] = bytes.Clone(sound)
			inputs[1][at] ^= 1
			if _, err := index.Open(bytes.NewReader(inputs[1]), int64(len(sound))); err != nil {
				continue
			}
			got, err := mergeOf(t, m, p, inputs, 0)
			switch e, isNamed := errors.AsType[*index.InputError](err); {
			case err == nil && bytes.Equal(got, want):
			case !errors.Is(err, index.ErrInvalid) || isNamed && e.Input != 1:
				t.Fatalf("byte %d: got %v", at, err)
			default:
				refused++
			}
		}
		if refused < 10 {
			t.Errorf("only %d damaged inputs were refused", refused)
		}
	})
}

// Checksums don't tell if an index contradicts itself.
func TestAMergeComparesTheLengthsOfItsInputs(t *testing.T) {
	m := modelOf(0, [][]byte{[]byte("a b c"), []byte("b c d")})
	p := partition{of: []int{0, 1}, added: make([][]string, 2)}
	inputs := [][]byte{}
	for i := range m.pages {
		inputs = append(inputs, model{pages: m.pages[i : i+1]}.write(t))
	}
	m.pages[1].Words++
	_, err := mergeOf(t, m, p, inputs, 0)
	if e, ok := errors.AsType[*index.InputError](err); !ok || e.Input != 1 || !errors.Is(err, index.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

func TestAMergeTakesAllPages(t *testing.T) {
	m := modelOf(0, [][]byte{[]byte("a"), []byte("b")})
	p := partition{of: []int{0}, added: make([][]string, 1)}
	if _, err := mergeOf(t, m, p, [][]byte{m.write(t)}, 0); err == nil || !strings.Contains(fmt.Sprint(err), "not all documents") {
		t.Errorf("got %v", err)
	}
}
