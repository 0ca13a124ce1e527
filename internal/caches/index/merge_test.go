package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/internal/caches/index"
)

// partition returns n indexes, each of the pages of m that of maps to it.
func (m model) partition(t rapid.TB, n int, of []int) (parts [][]byte) {
	t.Helper()
	for i := range n {
		part := model{selection: m.selection}
		for k, page := range m.pages {
			if of[k] == i {
				part.pages = append(part.pages, page)
			}
		}
		parts = append(parts, part.write(t))
	}
	return parts
}

// mergeOf writes the index of m, which keeps each page of the input that of maps it to.
func mergeOf(t rapid.TB, m model, of []int, inputs [][]byte) ([]byte, error) {
	t.Helper()
	var previous []*index.Whole
	for _, data := range inputs {
		whole, err := index.Read(open(t, data))
		if err != nil {
			return nil, err
		}
		previous = append(previous, whole)
	}
	var lines []index.Line
	next := make([]int, len(inputs))
	for i, at := range of {
		next[at]++
		lines = append(lines, index.Line{Record: index.Record{Name: m.pages[i].Name}, From: at, Kept: next[at]})
	}
	var out bytes.Buffer
	err := new(index.Builder).Write(&out, m.header(), slices.Values(lines), previous, 0)
	return out.Bytes(), err
}

// The inputs of a merge don't show: the result is the index that a build writes.
func TestAMergeIsTheIndexOfAllPages(t *testing.T) {
	eachSelection(t, func(t *testing.T, selection int) {
		rapid.Check(t, func(t *rapid.T) {
			m := drawModel(t, selection)
			inputs := rapid.IntRange(1, 5).Draw(t, "inputs")
			of := make([]int, len(m.pages))
			for i := range of {
				of[i] = rapid.IntRange(0, inputs-1).Draw(t, "input")
			}
			got, err := mergeOf(t, m, of, m.partition(t, inputs, of))
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
	var of []int
	for number := range 150_000 {
		at := number % 7 % 3
		if number > 140_000 {
			at = 1
		}
		content := "the"
		if number%70_000 == 1 {
			content = "the rare the"
		}
		m.pages, of = append(m.pages, newPage(number, unitOf(0, number, 0, []byte(content)))), append(of, at)
	}
	got, err := mergeOf(t, m, of, m.partition(t, 3, of))
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
		of := []int{0, 1, 0, 1}
		inputs := m.partition(t, 2, of)
		sound, want := inputs[1], m.write(t)
		refused := 0
		for at := 16; at < len(sound); at += len(sound) / 100 {
			inputs[1] = bytes.Clone(sound)
			inputs[1][at] ^= 1
			if _, err := index.Open(bytes.NewReader(inputs[1]), int64(len(sound))); err != nil {
				continue
			}
			got, err := mergeOf(t, m, of, inputs)
			switch {
			case err == nil && bytes.Equal(got, want):
			case !errors.Is(err, index.ErrInvalid):
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
	var s index.TermSources
	for i, data := range m.partition(t, 2, []int{0, 1}) {
		s.Kept = append(s.Kept, index.Kept{Index: open(t, data), Places: []int32{int32(i)}})
	}
	table := m.table()
	table.Documents[1].Words++
	err := index.Write(io.Discard, m.header(), table, s)
	if e, ok := errors.AsType[*index.KeptError](err); !ok || e.From != 1 || !errors.Is(err, index.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
