package words_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/contextcompiler/context/internal/base/words"
)

func TestCountComparesWordsInLowerCase(t *testing.T) {
	for _, test := range []struct {
		query, text    string
		matches, total int
	}{
		{"", "", 0, 0},
		{"", "one two", 0, 2},
		{"cache", "", 0, 0},
		{"cache", "Cache CACHE caches cache, cache", 3, 5},
		{"cache cache CACHE", "the cache", 1, 2},
		{"configuration", "Configuration configurations CONFIGURATION", 2, 3},
		{"@ [z", "@ [Z ` {z {Z", 2, 5},
		{"kelvin", "\u212Aelvin KELVIN \u212Belvin", 2, 3},
		{"kelvin", "Kelvin\u0085Kelvin\u2028Kelvin\uFEFFKelvin", 2, 3},
		{"οδυσσευς", "ΟΔΥΣΣΕΥΣ Οδυσσευσ", 1, 2},
		{"i̇stanbul", "İSTANBUL Istanbul", 1, 2},
		{"北京", "北京\u3000北京，", 1, 2},
		{"москва", "Москва МОСКВА Москве", 2, 3},
		{"\xff", "\xff \xfe \xff\xff", 1, 3},
	} {
		matches, total := words.TermSetOf(words.Split(words.Lower(test.query))).Count([]byte(test.text))
		if matches != test.matches || total != test.total {
			t.Errorf("%q in %q: got %d of %d, want %d of %d", test.query, test.text, matches, total, test.matches, test.total)
		}
	}
}

func TestWhatIsNoLowerCaseWordIsNotFound(t *testing.T) {
	set := words.TermSetOf([]string{"", " ", "Two", "two words", "a\u3000b", "AΣ"})
	if got, total := set.Count([]byte("Two two words a\u3000b AΣ aΣ ")); got != 0 || total != 7 {
		t.Errorf("got %d of %d, want 0 of 7", got, total)
	}
}

// Here every tricky text stands after a word and after white space.
func TestCountIsTheSameAtEveryPlace(t *testing.T) {
	queries := []string{"", "k kk kkk kelvin", strings.Join(trickyTexts, " ")}
	fillings := []string{"", " ", "x", " x", "\u3000", "x\u3000x"}
	for _, query := range queries {
		set := words.TermSetOf(words.Split(words.Lower(query)))
		for _, tricky := range trickyTexts {
			for at := range 3 {
				for _, filling := range fillings {
					text := strings.Repeat("x", at) + filling + tricky + "\u3000" + filling
					matches, total := set.Count([]byte(text))
					if m, n := countOf(query, text); matches != m || total != n {
						t.Fatalf("%q in %q: got %d of %d, want %d of %d", query, text, matches, total, m, n)
					}
				}
			}
		}
	}
}

// A capital may take three times the bytes of its small letter, so a word may
// be three times as long as the longest term and yet equal it.
func TestCountFindsWordsThatShrink(t *testing.T) {
	for length := range 50 {
		set := words.TermSetOf([]string{strings.Repeat("k", length+1)})
		for _, space := range []string{"", " ", "\u0085", "\u3000"} {
			text := []byte(strings.Repeat("\u212A", length+1) + space)
			if got, total := set.Count(text); got != 1 || total != 1 {
				t.Errorf("%q: got %d of %d, want 1 of 1", text, got, total)
			}
		}
	}
}

func TestCountFindsEveryTermOfAVeryLongQuery(t *testing.T) {
	const terms = 150_000
	var query []string
	for i := range terms {
		query = append(query, strconv.Itoa(i), "prefixed"+strconv.Itoa(i))
	}
	text := []byte(strings.Join(query, " ") + " x1 prefixedx")
	matches, total := words.TermSetOf(query).Count(text)
	if matches != 2*terms || total != 2*terms+2 {
		t.Errorf("got %d of %d, want %d of %d", matches, total, 2*terms, 2*terms+2)
	}
}

func TestCountDoesNotAllocate(t *testing.T) {
	set := words.TermSetOf([]string{"cache", "configuration", "οδυσσευς", "i̇stanbul", "kelvin", "文档"})
	text := []byte(strings.Repeat("Cache Configuration ΟΔΥΣΣΕΥΣ İSTANBUL \u212Aelvin 文档 "+strings.Repeat("文", 200)+" ", 20))
	if matches, _ := set.Count(text); matches != 6*20 {
		t.Fatalf("got %d matches, want %d", matches, 6*20)
	}
	if got := testing.AllocsPerRun(100, func() { set.Count(text) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func TestCountIsSafeForConcurrentUse(t *testing.T) {
	set := words.TermSetOf([]string{"οδυσσευς", "configuration"})
	var counting sync.WaitGroup
	for i := range 8 {
		counting.Go(func() {
			text := []byte(strings.Repeat("ΟΔΥΣΣΕΥΣ Configuration other ", 100*i))
			if got, total := set.Count(text); got != 200*i || total != 300*i {
				t.Errorf("got %d of %d, want %d of %d", got, total, 200*i, 300*i)
			}
		})
	}
	counting.Wait()
}

func TestCountLeavesTheTextAlone(t *testing.T) {
	text := []byte("The CACHE ΟΔΥΣΣΕΥΣ")
	before := slices.Clone(text)
	words.TermSetOf([]string{"cache", "οδυσσευς"}).Count(text)
	if !slices.Equal(text, before) {
		t.Errorf("got %q, want %q", text, before)
	}
}

func FuzzCount(f *testing.F) {
	for i, text := range trickyTexts {
		long := strings.Repeat(text+"\u3000", 9) + strings.Join(trickyTexts[:i], " ")
		f.Add(text, text)
		f.Add(text, long)
		f.Add(trickyTexts[len(trickyTexts)-1-i], long)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		matches, total := words.TermSetOf(words.Split(words.Lower(query))).Count([]byte(text))
		if m, n := countOf(query, text); matches != m || total != n {
			t.Errorf("%q in %q: got %d of %d, want %d of %d", query, text, matches, total, m, n)
		}
	})
}

func ExampleTermSet_Count() {
	set := words.TermSetOf(words.Split(words.Lower("cache version")))
	matches, total := set.Count([]byte("The Cache has a version, the cache VERSION."))
	fmt.Println(matches, "of", total)
	// Output: 2 of 8
}
