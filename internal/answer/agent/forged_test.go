package agent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/effort"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// forgedSources are small, but have sections of all kinds: a merged, a long and a cut one, a copy,
// lists of links and pages without a heading.
var forgedSources = map[string]string{
	"guide/setup.md": "---\ntopic: guide\n---\n# Setup\n\nHow to set a port.\n\n## Ports\n\n" + strings.Repeat("Each port has a number, but some don't.\n", 30) +
		"\n## Names\n\n" + strings.Repeat("The names of hosts are listed.\n", 40),
	"guide/copy.md": "## Ports\n\n" + strings.Repeat("Each port has a number, but some don't.\n", 30) + "\n## Other\n\n" + strings.Repeat("Other words of it.\n", 60),
	"long.md":       "# Long\n\n| port | name |\n| --- | --- |\n" + strings.Repeat("| 80 | a port for the “web” |\n", 150),
	"links.md":      "# Links\n\nA port.\n\n## More\n\n" + strings.Repeat("- [Port](guide/copy.md)\n", 90),
	"empty.md":      "",
}

// An indexForger writes indexes whose checksums are right into a cache.
type indexForger struct {
	cache string
	made  []byte // the index as it was built
	pages map[document.ID][]byte
	parts map[uint32][2]int // the first byte and the end of each, by kind
}

func newIndexForger(t *testing.T) *indexForger {
	t.Helper()
	dir := t.TempDir()
	caches := cachesOf(t, dir, map[string]map[string]string{"c": forgedSources})
	f := &indexForger{cache: filepath.Join(dir, "c-cache"), pages: map[document.ID][]byte{}, parts: map[uint32][2]int{}}
	var err error
	if f.made, err = os.ReadFile(filepath.Join(f.cache, "selection.idx")); err != nil {
		t.Fatal(err)
	}
	if _, err := answers.EachDocument(t.Context(), caches[0].Cache, selection.Filter{}, 1, func(_ int, doc document.Document) (int, error) {
		f.pages[doc.ID] = bytes.Clone(doc.Content)
		return 0, nil
	}); err != nil {
		t.Fatal(err)
	}
	start := 16
	for parts := f.footer(f.made)[76:]; len(parts) > 12; parts = parts[12:] {
		end := start + int(binary.LittleEndian.Uint64(parts[4:]))
		f.parts[binary.LittleEndian.Uint32(parts)] = [2]int{start, end}
		start = end
	}
	if again := slices.Clone(f.made); !bytes.Equal(f.seal(again), f.made) {
		t.Fatal("the frame of the test differs from that of the index")
	}
	return f
}

func (f *indexForger) footer(data []byte) []byte {
	return data[len(data)-int(binary.LittleEndian.Uint32(data[len(data)-8:])):]
}

// seal corrects the checksums of an index.
func (f *indexForger) seal(data []byte) []byte {
	const block = 16 << 10
	sum := func(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
	footer := f.footer(data)
	end := 0
	for _, part := range f.parts {
		end = max(end, part[1])
	}
	sums := data[end : len(data)-len(footer)]
	for i := range len(sums) / 4 {
		binary.LittleEndian.PutUint32(sums[4*i:], sum(data[i*block:min((i+1)*block, end)]))
	}
	binary.LittleEndian.PutUint32(footer[len(footer)-12:], sum(sums))
	binary.LittleEndian.PutUint32(footer[len(footer)-4:], sum(footer[:len(footer)-4]))
	return data
}

// A forgery replaces bytes of an index.
type forgery struct {
	at    int
	bytes []byte
}

// forgeries returns forgeries of every byte and every number of an index, part by part.
func (f *indexForger) forgeries() (all []forgery) {
	le := binary.LittleEndian
	for _, kind := range slices.Sorted(maps.Keys(f.parts)) {
		for at, end := f.parts[kind][0], f.parts[kind][1]; at < end; at++ {
			for _, b := range []byte{0, 0x7f, 0x80, 0xff, f.made[at] + 1, f.made[at] - 1, f.made[at] ^ 2, f.made[at] ^ 4} {
				all = append(all, forgery{at, []byte{b}})
			}
			if at+4 > end {
				continue
			}
			was := le.Uint32(f.made[at:])
			for _, n := range []uint32{0, 1, was + 100, was - 100, 1 << 16, 1 << 26, math.MaxInt32, math.MaxUint32} {
				all = append(all, forgery{at, le.AppendUint32(nil, n)})
			}
		}
	}
	return all
}

// write puts an index with forgeries into the cache.
func (f *indexForger) write(t *testing.T, forged ...forgery) {
	t.Helper()
	data := slices.Clone(f.made)
	for _, change := range forged {
		copy(data[change.at:], change.bytes)
	}
	if err := os.WriteFile(filepath.Join(f.cache, "selection.idx"), f.seal(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// try answers requests from an index with forgeries.
func (f *indexForger) try(t *testing.T, forged ...forgery) {
	f.write(t, forged...)
	what := "open"
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s with %v: panic: %v", what, forged, r)
			if testing.Verbose() {
				panic(r)
			}
		}
	}()
	check := func(request string, out []byte, err error) {
		t.Helper()
		_, isArgument := errors.AsType[ArgumentError](err)
		isArgument = isArgument || errors.Is(err, errNoPage) // the index lists no such page, or not in order
		if err != nil && !isArgument && fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s with %v: got %v, want no error but %s", request, forged, err, fault.CacheInvalid)
		}
		if !utf8.Valid(out) {
			t.Errorf("%s with %v: got %q, which isn't UTF-8", request, forged, out)
		}
	}
	c, err := answers.Open(f.cache)
	if check(what, nil, err); err != nil {
		return
	}
	defer c.Close()
	set, err := answers.NewSet([]answers.Member{{Name: "c", Cache: c}})
	if err != nil {
		t.Fatal(err)
	}
	f.ask(t, set, c, func(request string) { what = request }, check)
}

func (f *indexForger) ask(t *testing.T, set *answers.Set, c *answers.Cache, begin func(string), check func(string, []byte, error)) {
	ctx := t.Context()
	for i, text := range []string{"port number", `"each port" web gorts topic`} {
		query, err := selection.ParseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		begin("search")
		out, err := Markdown(Search(ctx, set, SearchRequest{Query: text}))
		check("search", out, err)
		begin("ask")
		out, err = Markdown(Ask(ctx, set, AskRequest{Query: text, Budget: 300 + 9000*i}))
		check("ask", out, err)
		for _, unit := range []selection.Unit{selection.Sections, selection.Documents} {
			request := selection.Request{Query: query, Unit: unit, Budget: 5000, MinScore: uint32(i)}
			if i == 1 {
				request.Filter = selection.Filter{Paths: []string{"!zzz"}, Where: []string{"topic=guide"}}
			}
			begin("resolve")
			var b bytes.Buffer
			err = set.Resolve(ctx, request, &b)
			check("resolve", b.Bytes(), err)
			if err == nil {
				f.checkResult(t, b.Bytes())
			}
			begin("explain")
			explained, err := set.Explain(ctx, request, 100)
			b.Reset()
			fmt.Fprint(&b, explained)
			check("explain", b.Bytes(), err)
			begin("eval")
			right := []document.Span{{ID: "long.md", Start: 100, End: 3000}}
			_, err = answers.ScoreEach(ctx, c, request, []selection.Query{query}, func(_ int, r answers.Scoreboard) (answers.Standing, error) {
				within, err := r.Within(ctx, 1000)
				check("eval within a budget", fmt.Append(nil, within), err)
				quality, err := r.Confidence(ctx)
				check("eval of confidence", fmt.Append(nil, quality), err)
				return r.Standing(ctx, right, i == 0, true)
			})
			check("eval", nil, err)
		}
	}
	begin("outline")
	out, err := Markdown(Outline(ctx, set, OutlineRequest{Depth: DeepestHeadings}))
	check("outline", out, err)
	begin("grep")
	found, err := Grep(ctx, set.Members(), GrepRequest{Pattern: "port"})
	check("grep", found.Markdown(), err)
	begin("read")
	out, err = Markdown(Read(ctx, set, ReadRequest{References: []string{"guide/setup.md", "long.md#L3", "short"}}))
	check("read", out, err)
	begin("describe")
	var b bytes.Buffer
	err = Describe(ctx, &b, set.Members()[0], true)
	check("describe", b.Bytes(), err)
	begin("diff")
	_, err = Diff(ctx, set.Members()[0], set.Members()[0], DiffRequest{Query: "port"})
	check("diff", nil, err)
}

// checkResult checks that a result quotes pages.
func (f *indexForger) checkResult(t *testing.T, out []byte) {
	t.Helper()
	var result struct {
		Documents []struct {
			ID, Version, Content string
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Error(err)
	}
	for _, d := range result.Documents {
		page, _, _ := strings.Cut(strings.TrimPrefix(d.ID, "c:"), "#")
		if d.Version != document.VersionOf([]byte(d.Content)).String() || len(d.Content) > 0 && len(f.pages[document.ID(page)]) < len(d.Content) {
			t.Errorf("got %s of %d bytes", d.ID, len(d.Content))
		}
	}
}

// cells are the forgeries of the traits and lengths of the first n sections.
func (f *indexForger) cells(all []forgery, n int) []forgery {
	const lengthsKind, cellSize = 6, 2
	start := f.parts[lengthsKind][0]
	return slices.DeleteFunc(slices.Clone(all), func(of forgery) bool { return of.at < start || of.at >= start+n*cellSize || len(of.bytes) > 1 })
}

// Whatever an index says, as long as its checksums are right, it is refused or answers from the
// pages.
func TestForgedIndexesAreRefusedOrAnswered(t *testing.T) {
	f := newIndexForger(t)
	f.try(t)
	const recordsKind, lengthOfID = 1, 84
	f.try(t, forgery{f.parts[recordsKind][0] + lengthOfID, make([]byte, 4)}) // an empty ID
	all := f.forgeries()
	for _, of := range f.cells(all, 3) {
		f.try(t, of)
	}
	random := rand.New(rand.NewPCG(1, 2))
	step := effort.Cases(1, len(all)/50)
	for i := random.IntN(step); i < len(all); i += step {
		f.try(t, all[i])
	}
	for range effort.Cases(20_000, 20) {
		f.try(t, all[random.IntN(len(all))], all[random.IntN(len(all))], all[random.IntN(len(all))])
	}
}

// A build must not keep an index that answers refuse.
func TestBuildsRepairForgedIndexes(t *testing.T) {
	const sectionsKind, textsKind = 7, 8
	f := newIndexForger(t)
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: filepath.Join(f.cache, "..", "c-docs")}}, Cache: f.cache, Force: true}
	wrong := append(f.cells(f.forgeries(), 1), forgery{f.parts[textsKind][0], []byte{0xff}})
	for at := range 8 { // the places of the first section
		wrong = append(wrong, forgery{f.parts[sectionsKind][0] + at, []byte{0x1f}})
	}
	for _, of := range wrong {
		f.write(t, of)
		if _, err := pipeline.Build(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		c, err := answers.Open(f.cache)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if made, err := os.ReadFile(filepath.Join(f.cache, "selection.idx")); err != nil || !bytes.Equal(made, f.made) {
			t.Errorf("a build keeps an index with %v (%v)", of, err)
		}
	}
}
