package verify_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/internal/base/trees"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/internal/pages/markdown"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// This file contains forged indexes: their checksums are right, but their contents are
// wrong. Verify finds them, and everything that resolve prints still comes from the
// documents.

// forgedSources contain a page with sections and a small page.
var forgedSources = map[string]string{
	"a.md": "# Small\n\nA cache of one page.\n",
	"b.md": strings.Join([]string{
		"# Cache\n\n" + strings.Repeat("The cache is built once.\n", 45),
		"## Größe\n\n" + strings.Repeat("Größe der Größe, in Ä.\n", 45),
		"## Cache keys\n\n" + strings.Repeat("A key of the cache.\n", 50),
	}, "\n"),
}

func buildForgeable(t *testing.T, sources map[string]string) (path string) {
	t.Helper()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	trees.WriteTree(t, docs, sources)
	path = filepath.Join(dir, "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Selection: selection.Spec1, About: document.About{Description: "Forged"}}); err != nil {
		t.Fatal(err)
	}
	return path
}

func openForgeable(t *testing.T, data []byte) *index.Index {
	t.Helper()
	x, err := index.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// reseal puts the right checksums into an index that consists of a single block of 16
// KiB.
func reseal(data []byte) []byte {
	le, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	footer := data[len(data)-int(le.Uint32(data[len(data)-8:])):]
	body := data[:len(data)-len(footer)-4]
	le.PutUint32(data[len(body):], crc32.Checksum(body, table))
	le.PutUint32(footer[len(footer)-12:], crc32.Checksum(data[len(body):][:4], table))
	le.PutUint32(footer[len(footer)-4:], crc32.Checksum(footer[:len(footer)-4], table))
	return data
}

// wantFoundAndHarmless fails the test unless verify calls the cache at path invalid and
// resolve prints only parts of the sources.
func wantFoundAndHarmless(t *testing.T, what, path string, sources map[string]string) {
	t.Helper()
	v, err := verify.Path(nilContext, path, 2)
	switch {
	case err != nil:
		t.Errorf("%s: verify: %v", what, err)
	case len(v.Findings) != 1 || v.Findings[0].Path != trees.Index || strings.Contains(v.Findings[0].Message, path):
		t.Errorf("%s: verify: got %+v, want one finding of %s", what, v.Findings, trees.Index)
	}
	for _, unit := range []selection.Unit{selection.Sections, selection.Documents} {
		query, err := selection.ParseQuery("cache keys größe")
		if err != nil {
			t.Fatal(err)
		}
		request := selection.Request{Query: query, Budget: 600, Unit: unit, Jobs: 1}
		wantTrueExplanation(t, what, path, request, sources)
		var out bytes.Buffer
		if err := resolveIn(path, request, &out); err != nil {
			if fault.CodeOf(err) != fault.CacheInvalid || out.Len() > 0 {
				t.Errorf("%s: resolve: got %v and %d bytes", what, err, out.Len())
			}
			continue
		}
		wantTrueResult(t, what, out.Bytes(), sources)
	}
}

// wantTrueExplanation fails the test unless explain calls the cache invalid, or each of
// its items comes from the sources and appears only once.
func wantTrueExplanation(t *testing.T, what, path string, request selection.Request, sources map[string]string) {
	t.Helper()
	explained, err := explainIn(path, request)
	if err != nil {
		if fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: explain: %v", what, err)
		}
		return
	}
	expected := map[document.ID]bool{}
	for page, content := range sources {
		expected[document.ID(page)] = true
		for _, part := range sections.Cut(markdown.Parse([]byte(content)).Body) {
			expected[sections.ID(document.ID(page), part.Slug)] = true
		}
	}
	for _, item := range explained.Items {
		if !expected[item.ID] {
			t.Errorf("%s: explain: %s is not in the sources, or is there twice", what, item.ID)
		}
		delete(expected, item.ID)
	}
}

func explainIn(path string, request selection.Request) (selection.Explanation, error) {
	c, err := answers.Open(path)
	if err != nil {
		return selection.Explanation{}, err
	}
	defer c.Close()
	return c.Explain(nilContext, request, 10)
}

func resolveIn(path string, request selection.Request, out *bytes.Buffer) error {
	c, err := answers.Open(path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Resolve(nilContext, request, out)
}

// wantTrueResult fails the test unless each item of a result comes from the sources and
// has the right version.
func wantTrueResult(t *testing.T, what string, text []byte, sources map[string]string) {
	t.Helper()
	var result struct {
		Documents []struct{ ID, Version, Content string }
	}
	if err := json.Unmarshal(text, &result); err != nil {
		t.Fatalf("%s: %v: %s", what, err, text)
	}
	for _, d := range result.Documents {
		page, _, _ := strings.Cut(d.ID, "#")
		if !strings.Contains(sources[page], d.Content) || document.VersionOf([]byte(d.Content)).String() != d.Version {
			t.Errorf("%s: got %+v, which is not in its page or has another version", what, d)
		}
	}
}

// The index and the manifest must say the same about the cache, so a forged index cannot
// show another description to agents.
func TestAForgedAboutIsFound(t *testing.T) {
	path := buildForgeable(t, forgedSources)
	data, err := os.ReadFile(filepath.Join(path, trees.Index))
	if err != nil {
		t.Fatal(err)
	}
	for _, about := range []string{
		"", `{"description":"FORGED"}`, `{"description":"Forged","base_url":"https://forged.example/"}`, `{"base_url":"https://forged.example/"}`,
		`{"description": "Forged"}`, `{"description":"\u0046orged"}`, `{"description":"Forged"}{}`, `{"description":"Forged","other":1}`, `{}`, `[]`, `"`,
	} {
		f := forgeryOf(t, openForgeable(t, data))
		f.header.About = []byte(about)
		writeAnew(t, filepath.Join(path, trees.Index), f.write(t, about))
		wantFoundAndHarmless(t, about, path, forgedSources)
		if c, err := answers.Open(path); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: open: got %v, %v, want %v", about, c, err, fault.CacheInvalid)
		}
	}
}

// This covers every byte.
func TestAForgedIndexIsFound(t *testing.T) {
	path := buildForgeable(t, forgedSources)
	file := filepath.Join(path, trees.Index)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if again := reseal(slices.Clone(data)); !bytes.Equal(again, data) || len(data) > 16<<10 {
		t.Fatal("the checksums of the test are not those of a build")
	}
	if v, err := verify.Path(t.Context(), path, 2); err != nil || !v.IsValid() {
		t.Fatal(v, err)
	}
	// Verify trusts the versions of the stages in the index.
	origin := forgeryOf(t, openForgeable(t, data)).header.Origin
	believed := bytes.Index(data, origin)
	step := effort.Cases(3, 31) // with many cases, every byte in other bits
	for at := 0; at < len(data)-12; at++ {
		if at%step != 0 && at < len(data)*3/4 || believed <= at && at < believed+len(origin) {
			continue
		}
		forged := slices.Clone(data)
		forged[at] ^= 1 << (at / step % 8)
		if err := os.WriteFile(file, reseal(forged), 0o666); err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(forged, data) {
			continue // the byte belonged to a checksum
		}
		wantFoundAndHarmless(t, fmt.Sprintf("byte %d of %d", at, len(data)), path, forgedSources)
	}
}

// A forgery is the input for a forged index.
type forgery struct {
	header  index.Header
	table   index.Table
	sources index.TermSources
	kept    []int32 // the places in sources
}

// forgeryOf returns the input with which index.Write would write x again.
func forgeryOf(t *testing.T, x *index.Index) forgery {
	t.Helper()
	f := forgery{header: x.Header()}
	var err error
	if f.header.Origin, err = x.Origin(); err != nil {
		t.Fatal(err)
	}
	records := x.NewRecordReader(0)
	for range x.Documents() {
		d, err := records.Next()
		if err != nil {
			t.Fatal(err)
		}
		f.table.Documents = append(f.table.Documents, *d)
	}
	for page, err := range x.EachPage() {
		if err != nil {
			t.Fatal(err)
		}
		page = slices.Clone(page)
		for i := range page {
			page[i].Sketch = slices.Clone(page[i].Sketch)
		}
		f.table.Sections = append(f.table.Sections, page)
	}
	f.kept = make([]int32, x.Sections())
	f.sources.Kept = []index.Kept{{Index: x, Places: f.kept}}
	for i := range f.kept {
		f.kept[i] = int32(i)
	}
	return f
}

// cut divides the sections among pages that begin at these sections.
func (f *forgery) cut(firsts ...int) {
	all := slices.Concat(f.table.Sections...)
	f.table.Sections = nil
	for i, first := range firsts {
		end := len(all)
		if i+1 < len(firsts) {
			end = firsts[i+1]
		}
		page := all[first:end]
		for k := range page {
			page[k].Traits &^= sections.First
		}
		page[0].Traits |= sections.First // an index of anything else can't be written
		f.table.Sections = append(f.table.Sections, page)
	}
}

func (f forgery) write(t *testing.T, what string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := index.Write(&out, f.header, f.table, f.sources); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return out.Bytes()
}

// index.Write writes these indexes for sections that the pages don't contain.
func TestAnIndexOfOtherSectionsIsFound(t *testing.T) {
	path := buildForgeable(t, forgedSources)
	other := buildForgeable(t, map[string]string{"a.md": forgedSources["b.md"], "b.md": forgedSources["a.md"]})
	file := filepath.Join(path, trees.Index)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	x := openForgeable(t, data)
	for name, forge := range map[string]func(f *forgery){
		"slug":        func(f *forgery) { f.table.Sections[1][1].Slug = "size" },
		"no slug":     func(f *forgery) { f.table.Sections[1][0].Slug = "" },
		"same slug":   func(f *forgery) { f.table.Sections[1][1].Slug = f.table.Sections[1][0].Slug },
		"sketch":      func(f *forgery) { f.table.Sections[1][0].Sketch = slices.Repeat([]byte{7}, 50) },
		"digest":      func(f *forgery) { f.table.Sections[1][0].Digest++ },
		"same digest": func(f *forgery) { f.table.Sections[1][0].Digest = f.table.Sections[1][1].Digest },
		"start":       func(f *forgery) { f.table.Sections[1][1].Start++ },
		"boundary":    func(f *forgery) { f.table.Sections[1][0].End += 8; f.table.Sections[1][1].Start += 8 },
		"in a letter": func(f *forgery) { f.table.Sections[1][1].End = strings.Index(forgedSources["b.md"], "ö") + 1 },
		"beyond":      func(f *forgery) { f.table.Sections[1][2].End += 1000 },
		"nothing":     func(f *forgery) { f.table.Sections[1][0].End = f.table.Sections[1][0].Start },
		"pages":       func(f *forgery) { f.cut(0, 2) },
		"more pages": func(f *forgery) {
			f.cut(0, 1, 2)
			f.table.Documents = append(f.table.Documents, f.table.Documents[1])
			f.table.Documents[2].ID = "c.md"
		},
		"fewer pages": func(f *forgery) { f.cut(0); f.table.Documents = f.table.Documents[:1] },
		"no pages": func(f *forgery) {
			f.table = index.Table{}
			for i := range f.kept {
				f.kept[i] = -1
			}
		},
		"one section a page": func(f *forgery) {
			f.table.Sections[1] = f.table.Sections[1][:1]
			copy(f.kept[2:], []int32{-1, -1})
		},
		"lengths and terms": func(f *forgery) {
			terms := new(index.Collector)
			terms.AddTerm(0, words.WeightOf([]byte("cache"), document.MaxSize))
			f.table.Sections[0][0].Length, f.kept[0] = document.MaxSize, -1
			f.sources.Collectors = []*index.Collector{terms}
		},
		"terms": func(f *forgery) {
			terms := new(index.Collector)
			terms.AddTerm(0, words.WeightOf([]byte("keys"), f.table.Sections[0][0].Length))
			f.kept[0], f.sources.Collectors = -1, []*index.Collector{terms}
		},
		"of another manifest": func(f *forgery) { f.header.ManifestSize++ },
		"of another version":  func(f *forgery) { f.header.CacheVersion[0]++ },
	} {
		f := forgeryOf(t, x)
		if n := len(slices.Concat(f.table.Sections...)); n != 4 {
			t.Fatalf("got %d sections, want 4", n)
		}
		forge(&f)
		writeAnew(t, file, f.write(t, name))
		wantFoundAndHarmless(t, name, path, forgedSources)
	}
	foreign, err := os.ReadFile(filepath.Join(other, trees.Index))
	if err != nil {
		t.Fatal(err)
	}
	writeAnew(t, file, foreign)
	wantFoundAndHarmless(t, "of another cache", path, forgedSources)
	copy(foreign[len(foreign)-int(binary.LittleEndian.Uint32(foreign[len(foreign)-8:])):], data[len(data)-int(binary.LittleEndian.Uint32(data[len(data)-8:])):][:40])
	writeAnew(t, file, reseal(foreign))
	wantFoundAndHarmless(t, "of another cache under the name of this one", path, forgedSources)
	writeAnew(t, file, data)
	if v, err := verify.Path(t.Context(), path, 2); err != nil || !v.IsValid() {
		t.Errorf("once it is there again: %v, %v", v, err)
	}
}

// writeAnew replaces a file with a new file.
func writeAnew(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Verify reports the same document with any number of jobs.
func TestVerifyNamesTheFirstPageThatIsCutInAnotherWay(t *testing.T) {
	sources := map[string]string{}
	for i := range 30 {
		sources[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("# %d\n\n%s", i, forgedSources["b.md"])
	}
	path := buildForgeable(t, sources)
	file := filepath.Join(path, trees.Index)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := forgeryOf(t, openForgeable(t, data))
	var firsts []int
	for i := range f.table.Sections {
		first := 3 * i
		if i >= 6 { // the sixth page and later
			first--
		}
		firsts = append(firsts, first)
	}
	f.cut(firsts...)
	writeAnew(t, file, f.write(t, "pages"))
	for _, jobs := range []int{1, 2, 8, 8, 8} {
		v, err := verify.Path(t.Context(), path, jobs)
		if err != nil || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Message, `"05.md" consists of 3 sections, but the index lists 2`) {
			t.Errorf("%d jobs: got %v, %v", jobs, v.Findings, err)
		}
	}
}
