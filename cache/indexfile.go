package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/termindex"
)

// An indexFile is the file of an index that is open and bound to the manifest.
type indexFile struct {
	name      string
	path      string // of the cache
	file      *os.File
	selection int // of the cache's manifest
}

// openIndexFile opens the index of that name and binds it to the manifest. It is
// nil if there is none. One that is damaged or belongs to another manifest is a
// [fault.CacheInvalid].
func (c *Cache) openIndexFile(name string, open func(r io.ReaderAt, size int64) (termindex.Header, error)) (*indexFile, error) {
	f, found, err := openRegular(c.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, readError(name, err)
	}
	x := &indexFile{name: name, path: c.path, file: f}
	header, err := open(f, found.Size())
	if err == nil {
		x.selection, err = c.bind(header, name)
	}
	if err != nil {
		x.close()
		return nil, indexError(name, err)
	}
	return x, nil
}

func (x *indexFile) close() { x.file.Close() }

// Disproved returns the error of an index that what is in the cache disproves.
func (x *indexFile) Disproved(format string, args ...any) error {
	return x.explain(fmt.Errorf("%w: %s", termindex.ErrInvalid, fmt.Sprintf(format, args...)))
}

// explain says of an error of the index where it is, and gives it its code.
func (x *indexFile) explain(err error) error {
	if err == nil {
		return nil
	}
	return openError(x.path, indexError(x.name, err))
}

// eachTerm calls visit with each of the terms, which are best sorted, and its
// postings, which are only good for the call.
func (x *indexFile) eachTerm(lookup *termindex.Lookup, terms []string, visit func(i int, postings []termindex.Posting) error) error {
	var postings []termindex.Posting
	for i, term := range terms {
		var err error
		if postings, err = lookup.AppendPostings(postings[:0], term); err != nil {
			return x.explain(err)
		}
		if err := visit(i, postings); err != nil {
			return err
		}
	}
	return nil
}

// compare fails with errDiffers unless write writes what the file holds.
func (x *indexFile) compare(write func(io.Writer) error) error {
	out := &comparer{with: io.NewSectionReader(x.file, 0, math.MaxInt64)}
	if err := write(out); err != nil {
		return err
	}
	return out.end()
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

// manifestTails are what manifests end with that we write, by what they are for.
// No damage of a byte makes one of another: without what comes before it, the end
// of a list of documents is one bit away from that of a selection.
var manifestTails = []struct {
	text      string
	selection int
}{
	{"[]\n}", 0},
	{"    }\n  ]\n}", 0},
	{longestTail, 1},
}

const longestTail = "]" + `,
  "selection": {
    "spec": "1"
  }
}`

// selectionOf returns the selection that a manifest is for which ends so, -1 if
// we write none such.
func selectionOf(end string) int {
	for _, tail := range manifestTails {
		if strings.HasSuffix(end, tail.text) {
			return tail.selection
		}
	}
	return -1
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
	tail, err := readAt(f, max(0, found.Size()-int64(len(longestTail))), len(longestTail))
	if err != nil {
		return 0, err
	}
	selection = selectionOf(string(tail))
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
