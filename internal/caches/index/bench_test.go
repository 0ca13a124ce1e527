package index_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/caches/index"
)

// corpus returns a directory of real Markdown files: $CONTEXT_INDEX_CORPUS or, by
// default, this repository.
func corpus() string {
	return cmp.Or(os.Getenv("CONTEXT_INDEX_CORPUS"), filepath.Join("..", "..", "..", "docs"))
}

// corpora returns texts to measure with. They are the same on every call.
func corpora(b *testing.B) map[string][][]byte {
	return map[string][][]byte{"generated": generate(10_000, 5<<10), "real": load(b, corpus())}
}

// generate returns texts whose words are as frequent as those of natural language: the
// n-th word is 1/n times as frequent as the first.
func generate(documents, size int) [][]byte {
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.1, 2, 500_000)
	contents := make([][]byte, documents)
	for i := range contents {
		for len(contents[i]) < size {
			n := zipf.Uint64()
			contents[i] = fmt.Appendf(contents[i], "%s%x ", []string{"The", "of", "con", ""}[n%4], n*0x9E3779B1%(16*n+16))
		}
	}
	return contents
}

func load(t testing.TB, root string) (contents [][]byte) {
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".md") {
			var content []byte
			content, err = os.ReadFile(path)
			contents = append(contents, content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

func sizeOf(contents [][]byte) (size int64) {
	for _, content := range contents {
		size += int64(len(content))
	}
	return size
}

func BenchmarkAdd(b *testing.B) {
	for name, contents := range corpora(b) {
		b.Run("text="+name, func(b *testing.B) {
			b.SetBytes(sizeOf(contents))
			b.ReportAllocs()
			var c *index.Collector
			for b.Loop() {
				c = new(index.Collector)
				for i, content := range contents {
					c.Add(i, content)
				}
			}
			b.ReportMetric(float64(heapWith(c))/float64(sizeOf(contents)), "heap/text")
		})
	}
}

// heapWith returns the number of bytes that c needs.
func heapWith(c *index.Collector) uint64 {
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	runtime.KeepAlive(c)
	*c = index.Collector{}
	runtime.GC()
	runtime.ReadMemStats(&without)
	return with.HeapAlloc - without.HeapAlloc
}

func BenchmarkWrite(b *testing.B) {
	for name, contents := range corpora(b) {
		for _, count := range []int{1, 2, 8} {
			m := modelOf(0, contents)
			h, table, s := m.header(), m.table(), m.collect(count)
			for _, jobs := range []int{1, 2} {
				b.Run(fmt.Sprintf("text=%s/collectors=%d/jobs=%d", name, count, jobs), func(b *testing.B) {
					b.SetBytes(sizeOf(contents))
					b.ReportAllocs()
					written := &countingWriter{}
					s.Jobs = jobs
					for b.Loop() {
						written.n = 0
						if err := index.Write(written, h, table, s); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(written.n)/float64(sizeOf(contents)), "index/text")
				})
			}
		}
	}
}

// It adds the changed documents and writes the index again. The speed refers to the whole
// text.
func BenchmarkAddAndWrite(b *testing.B) {
	for name, contents := range corpora(b) {
		m := modelOf(0, contents)
		h, table := m.header(), m.table()
		for _, kept := range []int{100, 99, 90, 0} {
			b.Run(fmt.Sprintf("text=%s/kept=%d%%", name, kept), func(b *testing.B) {
				f, size := onDisk(b, m)
				previous, err := index.Open(f, size)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(sizeOf(contents))
				b.ReportAllocs()
				for b.Loop() {
					s := index.TermSources{Collectors: []*index.Collector{new(index.Collector)}}
					if kept > 0 {
						s.Kept = []index.Kept{{Index: previous, Places: identity(len(contents))}}
					}
					for i, content := range contents {
						if i*7919%100 < kept {
							continue
						}
						s.Collectors[0].Add(i, content)
						if kept > 0 {
							s.Kept[0].Places[i] = -1
						}
					}
					if err := index.Write(io.Discard, h, table, s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkAudit(b *testing.B) {
	for name, contents := range corpora(b) {
		f, size := onDisk(b, modelOf(0, contents))
		x, err := index.Open(f, size)
		if err != nil {
			b.Fatal(err)
		}
		add := func() *index.Audit {
			audit := index.NewAudit(len(contents))
			for i, content := range contents {
				audit.Add(i, content)
			}
			return audit
		}
		b.Run("text="+name+"/step=add", func(b *testing.B) {
			b.SetBytes(sizeOf(contents))
			b.ReportAllocs()
			for b.Loop() {
				add()
			}
		})
		b.Run("text="+name+"/step=compare", func(b *testing.B) {
			b.SetBytes(sizeOf(contents))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				audit := add()
				b.StartTimer()
				if ordinal, err := audit.Compare(x); err != nil || ordinal >= 0 {
					b.Fatalf("got %d, %v", ordinal, err)
				}
			}
		})
	}
}

type countingWriter struct{ n int64 }

func (w *countingWriter) Write(b []byte) (int, error) {
	w.n += int64(len(b))
	return len(b), nil
}

// onDisk writes an index to a file and opens it.
func onDisk(b *testing.B, m model) (*os.File, int64) {
	data := m.write(b)
	path := filepath.Join(b.TempDir(), "selection.idx")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f, int64(len(data))
}

// common returns the two words that occur most often in the first documents.
func common(contents [][]byte) []string {
	m := modelOf(0, contents[:min(200, len(contents))])
	terms, postings := m.terms(), m.postings()
	slices.SortStableFunc(terms, func(a, b string) int { return len(postings[b]) - len(postings[a]) })
	return terms[:2]
}

// It does everything that a process must do to look up two terms and a document.
func BenchmarkOpenAndLookUp(b *testing.B) {
	for name, contents := range corpora(b) {
		f, size := onDisk(b, modelOf(0, contents))
		for kind, terms := range map[string][]string{"rare": {"zebra", "con123"}, "common": common(contents)} {
			b.Run(fmt.Sprintf("text=%s/terms=%s", name, kind), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					x, err := index.Open(f, size)
					if err != nil {
						b.Fatal(err)
					}
					for _, term := range terms {
						if _, err := x.AppendPostings(nil, term); err != nil {
							b.Fatal(err)
						}
					}
					if _, err := x.Document(x.Documents() / 2); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The dictionary contains two million terms.
func BenchmarkLookUpAmongMillions(b *testing.B) {
	contents := make([][]byte, 2000)
	for i := range contents {
		for k := range 1000 {
			contents[i] = fmt.Appendf(contents[i], "%x%x ", uint32(i*1000+k)*0x9E3779B1, k)
		}
	}
	f, size := onDisk(b, modelOf(0, contents))
	term := string(bytes.Fields(contents[77])[7])
	b.ReportAllocs()
	for b.Loop() {
		x, err := index.Open(f, size)
		if err != nil {
			b.Fatal(err)
		}
		for _, wanted := range []string{term, "absent"} {
			if _, err := x.AppendPostings(nil, wanted); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(size), "index-bytes")
}

func BenchmarkPostingsOfEveryDocument(b *testing.B) {
	contents := make([][]byte, 50_000)
	for i := range contents {
		contents[i] = bytes.Repeat([]byte("every "), 1+i%3)
	}
	f, size := onDisk(b, modelOf(0, contents))
	x, err := index.Open(f, size)
	if err != nil {
		b.Fatal(err)
	}
	var postings []index.Posting
	b.ReportAllocs()
	for b.Loop() {
		if postings, err = x.AppendPostings(postings[:0], "every"); err != nil {
			b.Fatal(err)
		}
	}
	if len(postings) != len(contents) {
		b.Fatalf("got %d postings, want %d", len(postings), len(contents))
	}
}

func BenchmarkSizes(b *testing.B) {
	f, size := onDisk(b, modelOf(0, make([][]byte, 50_000)))
	x, err := index.Open(io.NewSectionReader(f, 0, size), size)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Sizes(); err != nil {
			b.Fatal(err)
		}
	}
}
