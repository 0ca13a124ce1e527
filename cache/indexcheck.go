package cache

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/termindex"
)

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
		check.found = indexFinding(selectionName, err)
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
	if err == nil {
		return check, nil
	}
	finding := indexFinding(passagesName, err)
	if finding == nil {
		check.Close()
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	check.found = cmp.Or(check.found, finding)
	return check, nil
}

// Close releases the indexes.
func (k *IndexCheck) Close() {
	if k.index != nil {
		k.index.close()
	}
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
	k.documents[position].Name, _ = k.cache.Manifest.Documents[position].name()
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
	if err == nil {
		return nil, nil
	}
	if finding := indexFinding(c.name, err); finding != nil {
		return finding, nil
	}
	return nil, fmt.Errorf("%s: %w", path, readError(c.name, err))
}

// indexFinding returns the finding for an error of the index of a name that is
// about the cache, nil if it is about something else.
func indexFinding(name string, err error) *Finding {
	message := strings.TrimPrefix(err.Error(), name+": ")
	switch {
	case errors.Is(err, errDiffers):
		return &Finding{SelectionMismatch, name, message}
	case errors.Is(err, termindex.ErrInvalid) || fault.CodeOf(err) == fault.CacheInvalid:
		return &Finding{SelectionInvalid, name, message}
	}
	return nil
}

// compareWords compares the words of the documents with those in the index.
func (k *IndexCheck) compareWords() error {
	position, err := k.audit.Compare(&k.index.InvertedIndex)
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
	sources := termindex.Sources{Previous: &k.index.InvertedIndex, Kept: countTo(len(k.documents))}
	return k.index.compare(func(out io.Writer) error {
		return termindex.Write(out, header, k.documents, sources)
	})
}

// countTo returns the integers from 0 up to n, which is not among them.
func countTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
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
