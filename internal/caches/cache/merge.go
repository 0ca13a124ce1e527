package cache

import (
	"bufio"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// MergeOptions say how to merge caches.
type MergeOptions struct {
	Replace    bool // replace an existing cache
	AllowEmpty bool // allow a cache without documents to replace a cache with some
	Recipe     Recipe
	CreatedAt  string
	Jobs       int // documents to copy at once; 0 means one per CPU

	// Gained returns the terms that the sections of a document gain if a prefix is put
	// before its ID. They are valid until the next call.
	Gained func(prefix string, id document.ID) ([]words.TermWeight, error)

	memory int          // bytes of gained terms to keep in memory; 0 means the default of index.Builder
	disk   replace.Disk // nil means the operating system
}

// ErrEmpty is returned if an existing cache contains documents, but the new cache would
// contain none.
var ErrEmpty = errors.New("contains documents, but the new cache would be empty")

// ErrClash is returned by [Merge] if an ID belongs to documents of several inputs.
var ErrClash = errors.New("caches contain the same IDs")

// Merge makes the cache at path from the documents of all inputs. The result contains the
// bytes of a build of all their sources, and appears complete or not at all. The inputs
// stay as they are.
//
//	arrange    the order and the names of all documents     in memory: 3 bytes each
//	copy       documents/*, an input at a time              a few files
//	write      manifest.json, index.json, selection.idx     what index.Merger needs
//
// It compares the file of each document with the hash in the index of its input, but the
// index with nothing else. It fails with [fault.CacheInvalid] if an input is damaged or if
// inputs share an ID, and with [fault.IO] if the system refuses.
func Merge(ctx context.Context, path string, inputs []*MergeInput, options MergeOptions) (Manifest, error) {
	staging, err := begin(path, options.Replace, options.disk)
	if err != nil {
		return Manifest{}, err
	}
	defer staging.Close()
	m := &mergeRun{MergeOptions: options, path: path, inputs: inputs, staging: staging, forms: make([][]nameForm, len(inputs))}
	defer m.close()
	if err := m.arrange(ctx); err != nil {
		return Manifest{}, err
	}
	if m.manifest.DocumentCount == 0 && !options.AllowEmpty && replacesDocuments(staging) {
		return Manifest{}, fault.Errorf(fault.IO, "%s %w", path, ErrEmpty)
	}
	if err := m.copyAll(ctx); err != nil {
		return Manifest{}, err
	}
	if err := m.writeFiles(ctx); err != nil {
		return Manifest{}, err
	}
	m.close() // because Commit needs all temporary files removed
	return m.manifest, staging.Commit()
}

// A mergeRun is in the middle of [Merge].
type mergeRun struct {
	MergeOptions
	path     string
	inputs   []*MergeInput
	staging  *replace.Staging
	index    *index.Merger
	manifest Manifest // without its documents

	forms   [][]nameForm    // of the names, by input and document
	layouts replace.Scratch // the new layouts of files below a prefix; nil without any
	starts  []int64         // where the layouts of each input begin
}

func (m *mergeRun) close() {
	if m.index != nil {
		m.index.Close()
		m.index = nil
	}
	if m.layouts != nil {
		m.layouts.Close()
		m.layouts = nil
	}
}

// arrange puts the documents of all inputs into the order of their IDs.
func (m *mergeRun) arrange(ctx context.Context) (err error) {
	indexes := make([]*index.Index, len(m.inputs))
	for i, input := range m.inputs {
		indexes[i] = input.index
	}
	scratch := func() (index.SpillFile, error) { return m.staging.Scratch() }
	if m.index, err = index.NewMerger(indexes, scratch, m.memory); err != nil {
		return m.explain(err)
	}
	var heads recordHeads
	for i, input := range m.inputs {
		head := &recordHead{input: i, of: input, reader: input.index.NewRecordReader(m.index.Ahead(3)), sum: newVersionSum()}
		if more, err := head.next(); err != nil {
			return err
		} else if more {
			heads = append(heads, head)
		}
	}
	heap.Init(&heads)
	return m.takeAll(ctx, heads)
}

// takeAll takes the documents of heads in order.
func (m *mergeRun) takeAll(ctx context.Context, heads recordHeads) error {
	var names claimedNames
	var clashes clashes
	sum, last := newVersionSum(), recordHead{input: -1}
	for len(heads) > 0 {
		if m.manifest.DocumentCount%(1<<12) == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		head := heads[0]
		if last.input >= 0 && last.id == head.id {
			clashes.add(head.id, m.inputs[last.input], head.of)
		}
		sum.add(head.id, head.record.Version)
		m.forms[head.input] = append(m.forms[head.input], names.claim(head.record.Version, head.id))
		var gained []words.TermWeight
		if head.of.Prefix != "" {
			var err error
			if gained, err = m.Gained(head.of.Prefix, head.record.ID); err != nil {
				return fmt.Errorf("%s: %w", head.of.Path, err)
			}
		}
		if m.Recipe.Selection == 0 {
			gained = nil
		}
		if err := m.index.Take(head.input, gained); err != nil {
			return m.explain(err)
		}
		m.manifest.DocumentCount++
		last = *head
		more, err := head.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&heads, 0)
		} else {
			heap.Pop(&heads)
		}
	}
	m.manifest.Version = sum.version()
	return clashes.err()
}

// explain adds the path of an input, if possible, and a code to an error of m.index.
func (m *mergeRun) explain(err error) error {
	if of, ok := errors.AsType[*index.InputError](err); ok {
		return m.inputs[of.Input].explain(of.Err)
	}
	if errors.Is(err, index.ErrScratch) {
		return fault.Errorf(fault.IO, "%s: %w", m.path, err)
	}
	return err
}

// copyAll copies the documents of all inputs, one input after another.
func (m *mergeRun) copyAll(ctx context.Context) error {
	m.starts = make([]int64, len(m.inputs))
	end := int64(0)
	for i, input := range m.inputs {
		m.starts[i] = end
		if input.Prefix != "" && m.layouts == nil {
			layouts, err := m.staging.Scratch()
			if err != nil {
				return fault.Errorf(fault.IO, "%s: %w: %w", m.path, index.ErrScratch, fault.Cause(err))
			}
			m.layouts = layouts
		}
		if err := m.copyInput(ctx, i); err != nil {
			return err
		}
		if input.Prefix != "" {
			end += int64(input.index.Documents()) * layoutSize
		}
	}
	return nil
}

func (m *mergeRun) copyInput(ctx context.Context, i int) error {
	input := m.inputs[i]
	c, err := Open(input.Path)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := c.root.Stat(indexName)
	if err != nil || !input.file.isStill(found) {
		return fault.Errorf(fault.IO, "%s: %w", input.Path, errReplaced)
	}
	copier := &documentCopier{m, input, c, parallel.NewRoom(maxCopied)}
	const ahead = 256 << 10 // no other input is read at the same time
	reader := input.index.NewRecordReader(ahead)
	some := make([]index.Record, 0, 1<<10)
	for rest := m.forms[i]; len(rest) > 0; rest = rest[len(some):] {
		some = some[:0]
		for len(some) < min(cap(some), len(rest)) {
			d, err := reader.Next()
			if err != nil {
				return input.explain(err)
			}
			some = append(some, *d)
		}
		layouts, err := parallel.Each(ctx, m.Jobs, len(some), func(ctx context.Context, _, k int) ([]byte, error) {
			return copier.copy(ctx, some[k], rest[k])
		})
		if err != nil {
			return err
		}
		if input.Prefix != "" {
			if _, err := m.layouts.Write(slices.Concat(layouts...)); err != nil {
				return fault.Errorf(fault.IO, "%s: %w: %w", m.path, index.ErrScratch, fault.Cause(err))
			}
		}
	}
	return nil
}

// maxCopied is how many bytes of documents are in memory at once, unless a single file is
// larger.
const maxCopied = 16 << 20

// A documentCopier copies the documents of an input. It is safe for concurrent use.
type documentCopier struct {
	merge *mergeRun
	input *MergeInput
	from  *Files
	room  *parallel.Room
}

// copy copies a document, whose new name has a form. If the input has a prefix, it returns
// the layout of the new file.
func (c *documentCopier) copy(ctx context.Context, d index.Record, form nameForm) (layout []byte, err error) {
	leave, err := c.room.Enter(ctx, d.FileSize)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer leave()
	data, found, err := c.from.readRecorded(&d, nil)
	if errors.Is(err, fs.ErrNotExist) { // which would mean that the directory isn't a cache
		err = fault.Errorf(fault.CacheInvalid, "%s/%s: the file is missing", documentsName, d.Name)
	}
	if err != nil {
		return nil, openError(c.input.Path, err)
	}
	staging := c.merge.staging
	to := documentsName + "/" + form.name(d.Version, c.input.idOf(d.ID))
	if c.input.Prefix == "" {
		if staging.Link(c.from.documents.Name()+"/"+d.Name, found, to) {
			return nil, nil
		}
	} else {
		if data, err = c.input.rewrite(&d, data); err != nil {
			return nil, openError(c.input.Path, err)
		}
		layout = appendLayout(nil, d.ContentOffset, len(data), sha256.Sum256(data))
	}
	if err := staging.WriteFile(to, data); err != nil {
		return nil, writeError(staging, "the document of "+string(d.ID), err)
	}
	return layout, nil
}

// layoutSize is the size of a layout in the temporary file.
const layoutSize = 4 + 4 + sha256.Size

// appendLayout appends what a record says about a file whose content has another place.
func appendLayout(dst []byte, contentOffset int64, size int, sum [sha256.Size]byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(contentOffset))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	return append(dst, sum[:]...)
}

// records yields the index records of all documents in their new order.
func (m *mergeRun) records(yield func(*index.Record, error) bool) {
	readers, next := make([]inputRecords, len(m.inputs)), make([]int, len(m.inputs))
	for i, input := range m.inputs {
		readers[i] = inputRecords{input, input.index.NewRecordReader(m.index.Ahead(3)), nil}
		if input.Prefix != "" {
			size := int64(input.index.Documents()) * layoutSize
			readers[i].layouts = bufio.NewReader(io.NewSectionReader(m.layouts, m.starts[i], size))
		}
	}
	for i := range m.index.Order {
		d, err := readers[i].next()
		if err != nil {
			yield(nil, err)
			return
		}
		d.Name = m.forms[i][next[i]].name(d.Version, d.ID)
		next[i]++
		if !yield(d, nil) {
			return
		}
	}
}

// inputRecords reads the records of an input, as they are in the new cache, but without
// their names.
type inputRecords struct {
	input   *MergeInput
	reader  *index.RecordReader
	layouts *bufio.Reader // nil without a prefix
}

func (r *inputRecords) next() (*index.Record, error) {
	d, err := r.reader.Next()
	if err != nil {
		return nil, r.input.explain(err)
	}
	if r.layouts == nil {
		return d, nil
	}
	d.ID = r.input.idOf(d.ID)
	var layout [layoutSize]byte
	if _, err := io.ReadFull(r.layouts, layout[:]); err != nil {
		return nil, fault.Errorf(fault.IO, "%w: %w", index.ErrScratch, fault.Cause(err))
	}
	d.ContentOffset = int64(binary.LittleEndian.Uint32(layout[:]))
	d.FileSize = int64(binary.LittleEndian.Uint32(layout[4:]))
	d.FileSum = [sha256.Size]byte(layout[8:])
	return d, nil
}

// entries returns the entries of the new manifest. If that fails, they end early with the
// error in err.
func (m *mergeRun) entries(ctx context.Context, err *error) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for d, failed := range m.records {
			if failed == nil {
				failed = context.Cause(ctx)
			}
			if *err = failed; failed != nil || !yield(newEntry(d.ID, d.Version, d.Name)) {
				return
			}
		}
	}
}

// writeFiles writes everything except the documents.
func (m *mergeRun) writeFiles(ctx context.Context) error {
	m.manifest.CreatedAt, m.manifest.Selection, m.manifest.About = m.CreatedAt, m.Recipe.Selection, m.Recipe.About
	m.manifest.Converters = m.converters()
	var failed error
	all := m.entries(ctx, &failed)
	size := counter(0)
	for _, file := range m.manifest.files(all) {
		size = 0
		err := m.staging.StreamFile(file.name, func(out io.Writer) error { return file.writeTo(io.MultiWriter(out, &size)) })
		if failed != nil {
			return failed
		}
		if err != nil {
			return writeError(m.staging, file.name, err)
		}
	}
	return m.writeIndex(ctx, int64(size))
}

func (m *mergeRun) writeIndex(ctx context.Context, manifestSize int64) error {
	origin, err := m.origin()
	if err != nil {
		return err
	}
	header := index.Header{
		CacheVersion: m.manifest.Version, ManifestSize: manifestSize, Selection: m.manifest.Selection,
		About: encodeAbout(newAboutFields(m.manifest.About, m.manifest.Converters)), Origin: origin,
	}
	var watched errorKeeper
	var failed error
	err = m.staging.StreamFile(indexName, func(out io.Writer) error {
		watched.Writer = interruptedWriter{ctx, out}
		failed = m.index.Write(&watched, header, m.records)
		return failed
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed != nil && watched.err == nil:
		return m.explain(failed)
	case err != nil:
		return writeError(m.staging, indexName, err)
	}
	return nil
}

// An interruptedWriter fails once a context ends.
type interruptedWriter struct {
	ctx context.Context
	out io.Writer
}

func (w interruptedWriter) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.out.Write(p)
}

// converters returns the converters of all documents.
func (m *mergeRun) converters() string {
	found := map[string]bool{}
	for _, input := range m.inputs {
		for _, name := range input.Converters {
			found[name] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), ", ")
}

// origin returns the origin of the new index.
func (m *mergeRun) origin() ([]byte, error) {
	var all []NewDocument
	size := 0
	for _, input := range m.inputs {
		_, warnings, err := input.origin()
		if err != nil {
			return nil, err
		}
		for _, w := range warnings {
			size += len(w.ID) + len(w.notes.Warning)
		}
		if size > index.MaxOrigin {
			return nil, nil // as encodeOrigin
		}
		all = append(all, warnings...)
	}
	slices.SortFunc(all, func(a, b NewDocument) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return encodeOrigin(m.Recipe.Compiler, all), nil
}
