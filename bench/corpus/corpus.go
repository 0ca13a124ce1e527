// Package corpus generates Markdown and questions about it. A page depends on its number
// only, so every machine gets the same pages, and a larger corpus contains a smaller one.
//
// The words of the pages are about as frequent, and grow with the pages about as fast, as
// in 19,190 pages of real documentation; docs/performance.md compares them.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

const (
	topicSize    = 50  // pages that are about the same topic, in a directory
	topicWords   = 120 // that the pages of a topic share
	subjectWords = 16  // that a page has to itself
	largestWord  = 1 << 40
)

// A word is the rank of a word among all words: 0 is the most frequent.
type word uint64

// String spells a word in syllables of three letters, so that no two words are the same and
// frequent words are short. No word ends like a plural or another inflected word.
func (w word) String() string {
	const first, second, third = "bcdfghjklmnprstvwz", "aeiou", "bfgklmnprtvz"
	var text []byte
	for rest := int(w) + 1; rest > 0; {
		rest--
		text = append(text, first[rest%len(first)])
		rest /= len(first)
		text = append(text, second[rest%len(second)])
		rest /= len(second)
		text = append(text, third[rest%len(third)])
		rest /= len(third)
	}
	return string(text)
}

// A writer draws words for a page.
type writer struct {
	random         *rand.Rand
	common, any    *rand.Zipf
	topic, subject []word
}

func newWriter(page int) *writer {
	w := draw(3, page)
	topic := draw(2, page/topicSize)
	for range topicWords {
		w.topic = append(w.topic, word(topic.any.Uint64()))
	}
	for range subjectWords {
		w.subject = append(w.subject, word(w.any.Uint64()))
	}
	return w
}

// draw returns a writer whose words depend on two numbers.
func draw(kind, number int) *writer {
	random := rand.New(rand.NewPCG(uint64(kind), uint64(number)))
	return &writer{
		random: random,
		common: rand.NewZipf(random, 1.3, 2, 2000),
		any:    rand.NewZipf(random, 1.9, 3000, largestWord),
	}
}

// word draws a word of the page. Almost half of a text consists of words that every text
// contains, and most of the others say what it is about.
func (w *writer) word() word {
	switch n := w.random.IntN(100); {
	case n < 48:
		return word(w.common.Uint64())
	case n < 62:
		return w.one(w.topic)
	case n < 97:
		return w.one(w.subject)
	default:
		return word(w.any.Uint64())
	}
}

// one draws one of several words, the first ones more often.
func (w *writer) one(of []word) word {
	x := w.random.Float64()
	return of[int(float64(len(of))*x*x)]
}

// words draws words, some of them inflected.
func (w *writer) words(n int) string {
	var text strings.Builder
	for i := range n {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(w.word().String())
		switch n := w.random.IntN(100); {
		case n < 3:
			text.WriteByte('s')
		case n < 4:
			text.WriteString("ed")
		case n < 6:
			text.WriteString("ing")
		}
	}
	return text.String()
}

func (w *writer) title() string {
	title := w.one(w.subject).String() + " " + w.one(w.topic).String() + " " + w.word().String()
	return strings.ToUpper(title[:1]) + title[1:]
}

// Page returns a page with front matter, headings, prose, lists and code. It contains
// 3.7 KB on average, and the longest pages contain ten times as much.
func Page(number int) string {
	w := newWriter(number)
	var page strings.Builder
	title := w.title()
	fmt.Fprintf(&page, "---\ntitle: %s\ntags: [%s, %s]\n---\n\n# %s\n\n%s.\n\n", title, w.topic[0], w.topic[1], title, w.words(30))
	for range int(2 + 4*w.random.ExpFloat64()) {
		fmt.Fprintf(&page, "## %s\n\n%s. See [%s](page%d.md).\n\n", w.title(), w.words(50), w.words(2), number/topicSize*topicSize)
		fmt.Fprintf(&page, "- %s.\n- `%s_%s` %s.\n\n", w.words(10), w.one(w.topic), w.one(w.subject), w.words(8))
		fmt.Fprintf(&page, "```sh\nrun --%s \"$HOME/%s\"\n```\n\n%s.\n\n", w.one(w.topic), w.one(w.subject), w.words(35))
	}
	return page.String()
}

// Question returns a question about a page: a few words that every text contains, and two
// to four that the page or its topic is about.
func Question(page int) string {
	about, asks := newWriter(page), draw(4, page)
	var text strings.Builder
	for range 3 + asks.random.IntN(4) {
		fmt.Fprintf(&text, "%s ", word(asks.common.Uint64()))
	}
	for range 1 + asks.random.IntN(2) {
		fmt.Fprintf(&text, "%s ", asks.one(about.topic))
	}
	for range asks.random.IntN(2) {
		fmt.Fprintf(&text, "%s ", asks.one(about.subject))
	}
	return text.String() + asks.one(about.subject).String()
}

// Write writes pages into directories of 50 pages below dir, and returns their total size
// in bytes.
func Write(dir string, pages int) (size int64, err error) {
	for i := range pages {
		page := Page(i)
		size += int64(len(page))
		path := filepath.Join(dir, fmt.Sprintf("topic%d", i/topicSize), fmt.Sprintf("page%d.md", i))
		if i%topicSize == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return 0, err
			}
		}
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			return 0, err
		}
	}
	return size, nil
}
