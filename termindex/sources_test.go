package termindex_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/termindex"
)

// A change is what became of the documents of an index.
type change struct {
	before, now [][]byte // contents
	kept        []int    // as termindex.Sources has it
}

var changes = rapid.Custom(func(t *rapid.T) (c change) {
	c.before = rapid.SliceOfN(texts, 0, 12).Draw(t, "before")
	added := rapid.SliceOfN(texts, 0, 6)
	for _, content := range c.before {
		c.now = append(c.now, added.Draw(t, "added")...)
		if rapid.IntRange(0, 3).Draw(t, "fate") == 0 {
			c.kept = append(c.kept, -1)
			continue
		}
		c.kept = append(c.kept, len(c.now))
		c.now = append(c.now, content)
	}
	c.now = append(c.now, added.Draw(t, "added")...)
	return c
})

// collect adds what is not kept to collectors.
func (c change) collect(t *rapid.T) (collectors []*termindex.Collector) {
	for range rapid.IntRange(0, 3).Draw(t, "collectors") {
		collectors = append(collectors, new(termindex.Collector))
	}
	for i, content := range c.now {
		if slices.Contains(c.kept, i) {
			continue
		}
		if len(collectors) == 0 {
			collectors = append(collectors, new(termindex.Collector))
		}
		rapid.SampledFrom(collectors).Draw(t, "collector").Add(i, content)
	}
	return collectors
}

// Whichever documents are taken over from an index before, and whichever are
// counted anew.
func TestBytesDoNotDependOnWhatIsTakenOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := changes.Draw(t, "change")
		before, _ := write(t, c.before)
		want, docs := write(t, c.now)
		got := encodeFrom(t, docs, termindex.Sources{
			Collectors: c.collect(t), Previous: &open(t, before).InvertedIndex, Kept: c.kept,
		})
		if !bytes.Equal(got, want) {
			t.Fatal("an index that takes words over has other bytes")
		}
	})
}

// Enough for a dictionary of three levels, for terms without documents, and for
// more than is read at a time.
func TestALargeIndexIsTakenOver(t *testing.T) {
	contents := generate(1000, 2<<10)
	contents[500] = bytes.Repeat([]byte("Long"), 1<<18)
	contents[501] = []byte("a b c")
	before, _ := write(t, contents)
	for step := range 5 {
		var now [][]byte
		kept := make([]int, len(contents))
		c := new(termindex.Collector)
		for i, content := range contents {
			kept[i] = -1
			if step > 0 && i%step == 1 {
				continue
			}
			if i%10 == 9 {
				content = append(content[:len(content):len(content)], " changed"...)
				c.Add(len(now), content)
			} else {
				kept[i] = len(now)
			}
			now = append(now, content)
		}
		want, docs := write(t, now)
		got := encodeFrom(t, docs, termindex.Sources{Collectors: []*termindex.Collector{c}, Previous: &open(t, before).InvertedIndex, Kept: kept})
		if !bytes.Equal(got, want) {
			t.Errorf("step %d: an index that takes words over has other bytes", step)
		}
	}
}

func TestAnIndexIsRewrittenFromItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, _ := write(t, rapid.SliceOfN(texts, 0, 12).Draw(t, "contents"))
		if got, err := rewrite(open(t, want)); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("got other bytes, %v", err)
		}
	})
}

func TestWriteRefusesWhatCannotBeKept(t *testing.T) {
	contents := [][]byte{[]byte("one two"), nil, []byte("two three three")}
	data, docs := write(t, contents)
	x := open(t, data)
	for name, kept := range map[string][]int{
		"too few":      {0, 1},
		"too many":     {0, 1, 2, -1},
		"none":         nil,
		"not rising":   {1, 0, 2},
		"twice":        {0, 0, 2},
		"beyond":       {0, 1, 3},
		"less than -1": {0, -2, 2},
		"not all":      {0, 1, -1},
	} {
		err := termindex.Write(io.Discard, header, docs, termindex.Sources{Previous: &x.InvertedIndex, Kept: kept})
		if err == nil || errors.Is(err, termindex.ErrInvalid) {
			t.Errorf("%s: got %v, want an error that is not %v", name, err, termindex.ErrInvalid)
		}
	}
	if err := termindex.Write(io.Discard, header, docs, termindex.Sources{Kept: identity(3)}); err == nil {
		t.Error("no index before: got no error")
	}
	var c termindex.Collector
	c.Add(0, contents[0])
	both := termindex.Sources{Collectors: []*termindex.Collector{&c}, Previous: &x.InvertedIndex, Kept: identity(3)}
	if err := termindex.Write(io.Discard, header, docs, both); err == nil {
		t.Error("kept and added: got no error")
	}
	docs[1].Words, docs[1].Size = 1, 1
	err := termindex.Write(io.Discard, header, docs, termindex.Sources{Previous: &x.InvertedIndex, Kept: identity(3)})
	if !errors.Is(err, termindex.ErrInvalid) {
		t.Errorf("another number of words: got %v, want %v", err, termindex.ErrInvalid)
	}
}

// A document that was added twice is noticed even if the words add up.
func TestWriteRefusesADocumentThatWasAddedTwice(t *testing.T) {
	docs := describe([][]byte{[]byte("one one")})
	docs[0].Words = 2
	collectors := []*termindex.Collector{new(termindex.Collector), new(termindex.Collector)}
	for _, c := range collectors {
		c.Add(0, []byte("one"))
	}
	if err := termindex.Write(io.Discard, header, docs, termindex.Sources{Collectors: collectors}); err == nil {
		t.Error("got no error")
	}
}

func TestErrorsOfThePreviousIndexAreReported(t *testing.T) {
	contents := [][]byte{[]byte("one two"), []byte("two three three")}
	data, docs := write(t, contents)
	source := &switchedReader{ReaderAt: bytes.NewReader(data)}
	x, err := termindex.Open(source, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	sources := termindex.Sources{Previous: &x.InvertedIndex, Kept: identity(2)}
	audit := termindex.NewAudit(2)
	for _, wrong := range []error{errors.New("broken disk"), io.EOF} {
		source.err = wrong
		err := termindex.Write(io.Discard, header, docs, sources)
		_, err2 := audit.Compare(&x.InvertedIndex)
		_, err3 := x.Origin()
		for _, err := range []error{err, err2, err3} {
			if isInvalid := errors.Is(err, termindex.ErrInvalid); err == nil || isInvalid != (wrong == io.EOF) || !isInvalid && !errors.Is(err, wrong) {
				t.Errorf("%v: got %v", wrong, err)
			}
		}
	}
}

func TestAnOriginOfAnySizeIsKept(t *testing.T) {
	docs := describe(nil)
	for _, size := range []int{0, 1, 20_000, 1 << 20} {
		h := termindex.Header{CacheVersion: document.VersionOf(nil), Origin: bytes.Repeat([]byte("o"), size)}
		var out bytes.Buffer
		if err := termindex.Write(&out, h, docs, termindex.Sources{}); err != nil {
			t.Fatal(err)
		}
		if got, err := open(t, out.Bytes()).Origin(); err != nil || !bytes.Equal(got, h.Origin) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	h := termindex.Header{Origin: make([]byte, termindex.MaxOrigin+1)}
	if err := termindex.Write(io.Discard, h, docs, termindex.Sources{}); err == nil {
		t.Error("too many bytes: got no error")
	}
	h.Origin = h.Origin[:termindex.MaxOrigin]
	if err := termindex.Write(io.Discard, h, docs, termindex.Sources{}); err != nil {
		t.Error(err)
	}
}

// Enough terms for many ranges, and for some that begin alike.
func TestBytesDoNotDependOnJobs(t *testing.T) {
	contents := generate(300, 2<<10)
	for i := range 6000 {
		contents[0] = fmt.Appendf(contents[0], "https://%d ", i)
	}
	collectors, docs := collect(contents, 3)
	want, _ := write(t, contents)
	for _, jobs := range []int{0, 1, 2, 7} {
		if got := encodeFrom(t, docs, termindex.Sources{Collectors: collectors, Jobs: jobs}); !bytes.Equal(got, want) {
			t.Errorf("%d jobs make other bytes", jobs)
		}
	}
	collectors[1].Add(len(docs), contents[1])
	for _, jobs := range []int{1, 7} {
		err := termindex.Write(io.Discard, header, docs, termindex.Sources{Collectors: collectors, Jobs: jobs})
		if err == nil || !strings.Contains(err.Error(), "document 300 belongs") {
			t.Errorf("%d jobs: got %v", jobs, err)
		}
	}
}
