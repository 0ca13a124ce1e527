package cache

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/termindex"
)

// An Index is the selection index of an open cache. Safe for concurrent use.
type Index struct {
	*termindex.Index
	path      string // of the cache
	file      *os.File
	selection int // of the cache's manifest

	columns struct { // once they are read
		sync.Mutex
		words, sizes []uint32
	}
}

// OpenToSelect is [Open] for those who select documents. If the cache has a
// selection index, that is opened and bound to the manifest by its version and
// size, and the manifest is not decoded: Index is set, and of the Manifest only
// Selection. So the cost does not grow with the number of documents. Damage
// elsewhere is for verify to find.
func OpenToSelect(path string) (*Cache, error) { return openToSelect(atPath(path)) }

// OpenToSelectIn is OpenToSelect for the directory of that slash path below dir,
// as [OpenIn] is for Open.
func OpenToSelectIn(dir *os.Root, path string) (*Cache, error) {
	return openToSelect(below(dir, path))
}

func openToSelect(place place) (*Cache, error) {
	c, err := openDirectory(place)
	if err != nil {
		return nil, err
	}
	err = c.openIndexes()
	if c.Index != nil && err == nil {
		err = c.openDocuments()
	}
	if c.Index != nil && err == nil {
		return c, nil
	}
	c.Close()
	whole, wrong := open(place) // there is no index, or the manifest is what is wrong
	if wrong != nil || err == nil {
		return whole, wrong
	}
	whole.Close()
	return nil, openError(place.path, err)
}

// openIndexes opens the indexes that the cache's selection needs. If one is not
// there, neither is opened.
func (c *Cache) openIndexes() (err error) {
	index, err := c.openIndex()
	if err != nil || index == nil {
		return err
	}
	if c.Manifest.Selection = index.selection; index.selection == 1 {
		if c.Passages, err = c.openPassages(); err != nil || c.Passages == nil {
			index.close()
			return err
		}
	}
	c.Index = index
	return nil
}

// openIndex opens the selection index, which is nil if there is none. One that
// is damaged or belongs to another manifest is a [fault.CacheInvalid].
func (c *Cache) openIndex() (*Index, error) {
	f, found, err := openRegular(c.root, selectionName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(selectionName, err)
	}
	opened, err := termindex.Open(f, found.Size())
	selection := 0
	if err == nil {
		selection, err = c.bind(opened.Header(), selectionName)
	}
	if err != nil {
		f.Close()
		return nil, indexError(selectionName, err)
	}
	return &Index{Index: opened, path: c.path, file: f, selection: selection}, nil
}

// indexError gives an error of the index of that name its code.
func indexError(name string, err error) error {
	if errors.Is(err, termindex.ErrInvalid) {
		return fault.Errorf(fault.CacheInvalid, "%s: %w", name, err)
	}
	if _, coded := errors.AsType[*fault.Error](err); coded {
		return err
	}
	return fault.Errorf(fault.IO, "read %s: %w", name, fault.Cause(err))
}

// manifestHead is what every manifest begins with that we write, with its version
// in the place of the verb.
const manifestHead = `{
  "cache_version": "%s",
  "build_config": {
    "version": "` + formatVersion + `",
    "hash_algorithm": "` + hashAlgorithm + `"
  },
`

// manifestTails are what manifests end with that we write, by their selection.
var manifestTails = []string{
	"]\n}",
	"]" + `,
  "selection": {
    "spec": "1"
  }
}`,
}

// bind makes sure that the index of that name belongs to the manifest, by what
// that begins with and ends with and by its size. It returns the selection that
// the cache was built for.
func (c *Cache) bind(h termindex.Header, name string) (selection int, err error) {
	f, found, err := openRegular(c.root, manifestName)
	if err != nil {
		return 0, readError(manifestName, err)
	}
	defer f.Close()
	want := fmt.Sprintf(manifestHead, h.CacheVersion)
	head, err := readAt(f, 0, len(want))
	if err != nil {
		return 0, err
	}
	longest := len(manifestTails[1])
	tail, err := readAt(f, max(0, found.Size()-int64(longest)), longest)
	if err != nil {
		return 0, err
	}
	selection = slices.IndexFunc(manifestTails, func(t string) bool { return strings.HasSuffix(string(tail), t) })
	if found.Size() != h.ManifestSize || string(head) != want || selection < 0 {
		return 0, fault.Errorf(fault.CacheInvalid, "%s: it is not the manifest that %s was made for", manifestName, name)
	}
	return selection, nil
}

// readAt reads n bytes of a manifest, or as many as there are.
func readAt(f *os.File, offset int64, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := f.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		return nil, readError(manifestName, err)
	}
	return b[:got], nil
}

// close releases the file.
func (x *Index) close() {
	if x != nil {
		x.file.Close()
	}
}

// Columns returns for every document how many words its content has, and how
// many bytes. They are not to be changed. It fails with [fault.CacheInvalid] if
// the index is damaged, and with [fault.IO] if the system refuses.
func (x *Index) Columns() (words, sizes []uint32, err error) {
	x.columns.Lock()
	defer x.columns.Unlock()
	if x.columns.words == nil {
		x.columns.words, x.columns.sizes, err = x.Index.Columns()
	}
	return x.columns.words, x.columns.sizes, x.explain(err)
}

// Disproved returns the error of an index that what is in the cache disproves.
func (x *Index) Disproved(format string, args ...any) error {
	return x.explain(fmt.Errorf("%w: %s", termindex.ErrInvalid, fmt.Sprintf(format, args...)))
}

// Entry returns the entry of the document at a position. It fails as Columns
// does.
func (x *Index) Entry(position int) (Entry, error) {
	doc, err := x.Document(position)
	return Entry{doc.ID, doc.Version, doc.File}, x.explain(err)
}

// EachPosting calls visit with the postings of each term, which are best sorted.
// It fails as Columns does.
func (x *Index) EachPosting(terms []string, visit func(termindex.Posting)) error {
	lookup := x.NewLookup()
	var postings []termindex.Posting
	for _, term := range terms {
		var err error
		if postings, err = lookup.AppendPostings(postings[:0], term); err != nil {
			return x.explain(err)
		}
		for _, p := range postings {
			visit(p)
		}
	}
	return nil
}

func (x *Index) explain(err error) error {
	if err == nil {
		return nil
	}
	return openError(x.path, indexError(selectionName, err))
}

// An IndexCheck compares the selection index of a cache with its documents: the
// words that it says they have with those that they have, and its bytes with
// those that a build writes for these words. Safe for concurrent use.
type IndexCheck struct {
	cache     *Cache
	index     *Index // nil if there is none that can be opened
	audit     *termindex.Audit
	documents []termindex.Document // by position, of those that were checked
	passages  *passageCheck        // nil if there is nothing to check
	found     *Finding
}

// NewIndexCheck returns a check of the index of c, whose Finding means something
// only if the manifest is sound. A cache without an index passes.
func (c *Cache) NewIndexCheck() (*IndexCheck, error) {
	index, err := c.openIndex()
	if err != nil && fault.CodeOf(err) != fault.CacheInvalid {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	check := &IndexCheck{cache: c}
	switch n := len(c.Manifest.Documents); {
	case err != nil:
		check.found = &Finding{SelectionInvalid, selectionName, strings.TrimPrefix(err.Error(), selectionName+": ")}
	case index != nil && index.Len() != n:
		index.close()
		check.found = &Finding{SelectionMismatch, selectionName, fmt.Sprintf("it is of %d documents, not of %d", index.Len(), n)}
	case index != nil:
		check.index = index
		check.audit = termindex.NewAudit(n)
		check.documents = make([]termindex.Document, n)
	}
	if c.Manifest.Selection == 0 {
		return check, nil
	}
	check.passages, err = c.newPassageCheck()
	if err != nil {
		if finding := passagesFinding(err); finding == nil || check.found == nil {
			check.found = finding
		}
		if check.found == nil {
			check.Close()
			return nil, fmt.Errorf("%s: %w", c.path, err)
		}
	}
	return check, nil
}

// Close releases the indexes.
func (k *IndexCheck) Close() {
	k.index.close()
	if k.passages != nil {
		k.passages.index.close()
	}
}

func (k *IndexCheck) isWanted() bool { return k != nil && (k.index != nil || k.passages != nil) }

// add takes the document at a position of the manifest.
func (k *IndexCheck) add(position int, doc document.Document, file fileFacts) {
	if k.passages != nil {
		k.passages.add(position, doc)
	}
	if k.index == nil {
		return
	}
	file.words = k.audit.Add(position, doc.Content)
	k.documents[position] = indexed(doc, file)
	k.documents[position].File = k.cache.Manifest.Documents[position].File
}

// Finding returns what is wrong with the index, nil for nothing. Every document
// of the manifest must have been checked by a [Reader] and found sound: an index
// of documents that are damaged has nothing to be compared with. Up to so many
// jobs, less than 1 standing for one a processor, share the work.
func (k *IndexCheck) Finding(ctx context.Context, jobs int) (*Finding, error) {
	if k.found != nil || !k.isWanted() {
		return k.found, nil
	}
	var checks []namedCheck
	if k.index != nil {
		checks = append(checks, namedCheck{selectionName, k.compareWords}, namedCheck{selectionName, k.rewrite})
	}
	if k.passages != nil {
		checks = append(checks, namedCheck{passagesName, k.passages.compareWords}, namedCheck{passagesName, k.passages.rewrite})
	}
	findings, err := parallel.Each(ctx, jobs, checks, func(_ context.Context, _ int, c namedCheck) (*Finding, error) {
		return c.finding(k.cache.path)
	})
	if err != nil {
		return nil, err
	}
	for _, finding := range findings {
		if finding != nil {
			return finding, nil
		}
	}
	return nil, nil
}

// A namedCheck checks the index of a name.
type namedCheck struct {
	name  string
	check func() error
}

// finding returns what is wrong, nil for nothing, with the index of the cache at
// a path.
func (c namedCheck) finding(path string) (*Finding, error) {
	err := c.check()
	switch {
	case errors.Is(err, termindex.ErrInvalid):
		return &Finding{SelectionInvalid, c.name, err.Error()}, nil
	case errors.Is(err, errDiffers):
		return &Finding{SelectionMismatch, c.name, err.Error()}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, readError(c.name, err))
	}
	return nil, nil
}

// compareWords compares the words of the documents with those in the index.
func (k *IndexCheck) compareWords() error {
	position, err := k.audit.Compare(&k.index.Inverted)
	if err == nil && position >= 0 {
		err = fmt.Errorf("%w: %q has other words", errDiffers, k.cache.Manifest.Documents[position].ID)
	}
	return err
}

// rewrite writes the index anew, with the words that it has, and compares.
func (k *IndexCheck) rewrite() error {
	origin, err := k.index.Origin()
	if err != nil {
		return err
	}
	header := k.index.Header()
	header.Origin = origin
	out := &comparer{with: io.NewSectionReader(k.index.file, 0, math.MaxInt64)}
	err = termindex.Write(out, header, k.documents, termindex.Sources{Previous: &k.index.Inverted, Kept: countTo(len(k.documents))})
	return cmp.Or(err, out.end())
}

var errDiffers = errors.New("it is not what the documents make")

// A comparer is a writer that fails with errDiffers unless what is written is
// what a reader yields.
type comparer struct {
	with io.Reader
	buf  []byte
}

func (c *comparer) Write(p []byte) (int, error) {
	if len(c.buf) < len(p) {
		c.buf = make([]byte, len(p))
	}
	n, err := io.ReadFull(c.with, c.buf[:len(p)])
	if err == io.EOF || err == io.ErrUnexpectedEOF || err == nil && !bytes.Equal(c.buf[:n], p) {
		return 0, errDiffers
	}
	return n, err
}

// end makes sure that the reader has nothing left.
func (c *comparer) end() error {
	n, err := c.with.Read(make([]byte, 1))
	if n > 0 {
		return errDiffers
	}
	if err == io.EOF {
		return nil
	}
	return err
}
