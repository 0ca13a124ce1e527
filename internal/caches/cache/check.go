package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/index"
)

// ManifestFinding returns the finding for an error of [Files.UncheckedManifest], or nil
// if the error is not about the manifest.
func ManifestFinding(err error) *Finding {
	_, isForeign := errors.AsType[*ForeignError](err)
	switch {
	case err == nil || fault.CodeOf(err) != fault.CacheInvalid:
		return nil
	case isForeign || errors.Is(err, files.ErrNotRegular):
		return &Finding{ManifestMissing, ManifestPath, "there is no such regular file"}
	}
	message := err.Error()
	if e, ok := errors.AsType[*fault.Error](err); ok {
		message = strings.TrimPrefix(e.Error(), ManifestPath+": ")
	}
	return &Finding{ManifestInvalid, ManifestPath, message}
}

// Check reads the document of entry. It returns the index record that a build would
// write for it, or a finding if the document is damaged. The document is valid until the
// next call. Check fails with [fault.IO] if the system refuses.
func (r *Reader) Check(entry Entry) (document.Document, index.Record, *Finding, error) {
	data, finding, err := r.fetch(entry)
	if finding != nil || err != nil {
		return document.Document{}, index.Record{}, finding, err
	}
	sum := sha256.Sum256(data) // before decoding overwrites data
	doc, layout, finding := decodeAs(entry, data)
	described := describe(doc, layout, len(data), sum)
	described.Name, _ = entry.name()
	return doc, described, finding, nil
}

// IndexFinding returns the finding for an error about the index. It returns every other
// error as an error about c.
func (c *Files) IndexFinding(err error) (*Finding, error) {
	if err == nil {
		return nil, nil
	}
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		err = damaged.Err
	}
	message := strings.TrimPrefix(err.Error(), IndexPath+": ")
	switch {
	case errors.Is(err, index.ErrDiffers):
		return &Finding{IndexMismatch, IndexPath, message}, nil
	case errors.Is(err, index.ErrInvalid) || fault.CodeOf(err) == fault.CacheInvalid:
		return &Finding{IndexInvalid, IndexPath, message}, nil
	}
	if _, named := errors.AsType[*fault.Error](err); named { // OpenIndex names the cache
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", c.path, indexError(err))
}

// FileSize returns the size of the file of entry in bytes, or 0 if it is missing or
// not a regular file. It fails with [fault.IO] if the system refuses.
func (c *Files) FileSize(entry Entry) (int64, error) {
	name, ok := entry.name()
	if c.documents == nil || !ok {
		return 0, nil
	}
	found, err := c.documents.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("%s: %s: %w", c.path, DocumentsDir, readError(name, err))
	case !found.Mode().IsRegular():
		return 0, nil
	}
	return found.Size(), nil
}

// CheckFileList returns the findings about index.json, which must agree with the
// manifest m and contain exactly the bytes that a build writes.
func (c *Files) CheckFileList(m Manifest) ([]Finding, error) {
	data, err := readRegular(c.root, fileListName, nil, maxManifestSize)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, files.ErrNotRegular):
		return []Finding{{FileListMissing, fileListName, "there is no such regular file"}}, nil
	case errors.Is(err, files.ErrTooLarge):
		return []Finding{{FileListInvalid, fileListName, err.Error()}}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	list, err := decodeFileList(data)
	if err != nil {
		return []Finding{{FileListInvalid, fileListName, err.Error()}}, nil
	}
	findings := m.compareFileList(list)
	switch {
	case len(findings) > 0 || m.hasFileList(data):
	case m.hasFileList(withoutCR(data)):
		findings = []Finding{{FileListInvalid, fileListName, hasCRLF}}
	default:
		findings = []Finding{{FileListInvalid, fileListName, "its bytes differ from what a build would write"}}
	}
	return findings, nil
}

// hasCRLF says why a clone of a cache can differ from the cache.
const hasCRLF = "its line ends are CRLF now: git changes them with core.autocrlf, so write a line such as `build/context/** -text` into .gitattributes"

func withoutCR(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// hasFileList reports whether data is what a build writes to index.json.
func (m Manifest) hasFileList(data []byte) bool {
	rest := files.Comparer{With: bytes.NewReader(data)}
	file := m.files(slices.Values(m.Documents))[0]
	return cmp.Or(file.writeTo(&rest), rest.End()) == nil
}

func decodeFileList(data []byte) (map[document.ID]string, error) {
	list := map[document.ID]string{}
	d := wire.NewDecoder(data)
	err := decodeObject(d, func(id string) error {
		file, err := d.String()
		list[document.ID(id)] = file
		return err
	})
	return list, cmp.Or(err, d.End())
}

// compareFileList compares the manifest with the entries of index.json. It empties list.
func (m Manifest) compareFileList(list map[document.ID]string) []Finding {
	var findings []Finding
	report := func(format string, args ...any) {
		findings = append(findings, Finding{FileListMismatch, fileListName, fmt.Sprintf(format, args...)})
	}
	for _, entry := range m.Documents {
		file, ok := list[entry.ID]
		delete(list, entry.ID)
		switch {
		case !ok:
			report("%q is missing", entry.ID)
		case file != entry.File:
			report("%q is in %q, but the manifest says %q", entry.ID, file, entry.File)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(list)) {
		report("%q is not in the manifest", id)
	}
	return findings
}

// CheckFiles returns a finding for each file that doesn't belong to a cache with these
// entries.
func (c *Files) CheckFiles(entries iter.Seq[Entry]) ([]Finding, error) {
	findings, err := unexpected(c.root, "", func(name string) bool {
		return name == ManifestPath || name == fileListName || name == IndexPath || name == DocumentsDir && c.documents != nil
	})
	if err != nil || c.documents == nil {
		return findings, err
	}
	more, err := unexpected(c.documents, DocumentsDir+"/", namesOf(entries))
	return append(findings, more...), err
}

// namesOf returns a function that reports whether a file belongs to one of the entries. It
// keeps a seeded hash of each name, because the names of a million files would need far more
// memory.
func namesOf(entries iter.Seq[Entry]) (isListed func(name string) bool) {
	var hashes []uint64
	for entry := range entries {
		if name, ok := entry.name(); ok {
			hashes = append(hashes, words.Hash([]byte(name)))
		}
	}
	slices.Sort(hashes)
	return func(name string) bool {
		_, found := slices.BinarySearch(hashes, words.Hash([]byte(name)))
		return found
	}
}

// unexpected returns a finding for each unexpected name in dir, in the order of the
// names. Unlike the functions that return entries of an [os.Root], it does not ask the
// system for anything else about each file.
func unexpected(dir *os.Root, prefix string, isExpected func(name string) bool) (findings []Finding, err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, fault.Errorf(fault.IO, "list %s: %w", dir.Name(), fault.Cause(err))
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(1 << 10)
		if err != nil && err != io.EOF {
			return nil, fault.Errorf(fault.IO, "list %s: %w", dir.Name(), fault.Cause(err))
		}
		for _, name := range names {
			if !isExpected(name) {
				findings = append(findings, Finding{FileUnexpected, prefix + name, "it does not belong to a cache"})
			}
		}
		if err == io.EOF {
			break
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return findings, nil
}
