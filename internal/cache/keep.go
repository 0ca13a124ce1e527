package cache

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
)

// keepDocuments takes the documents over that are kept. A file gets a second
// name where it can, which costs half of a copy and no room.
func (w *Writer) keepDocuments(ctx context.Context, s settled) error {
	var kept []int
	for i, item := range s.items {
		if item.IsKept() {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	dir, err := os.Stat(w.documentsDir())
	if err != nil {
		return fault.Errorf(fault.IO, "look at %s: %w", w.documentsDir(), fault.Cause(err))
	}
	_, err = parallel.Each(ctx, w.options.Jobs, len(kept), func(_ context.Context, _, k int) (struct{}, error) {
		i := kept[k]
		return struct{}{}, w.keep(s.items[i], s.names[i], dir)
	})
	if err == nil && !atPath(w.target.path).has(w.previous.cache.found) {
		err = fault.Errorf(fault.IO, "%s was moved during the build: try again", w.target.shown)
	}
	return err
}

// keep takes a document of the previous cache over: its file, if that keeps its
// name and is as a build would make it here, or else a copy. Under another name
// the same file would, to tools that look at size and time alone, be the one
// that had this name before.
func (w *Writer) keep(item Item, name string, dir fs.FileInfo) error {
	d := w.previous.of(item)
	from := filepath.Join(w.target.path, documentsName, d.Name)
	to := filepath.Join(w.documentsDir(), name)
	if name == d.Name && isAsIfMadeIn(dir, from, item.modified) && w.disk.link(from, to) == nil {
		return nil
	}
	data, _, err := w.previous.read(d, nil)
	if err != nil && fault.CodeOf(err) == fault.CacheInvalid {
		return fault.Errorf(fault.IO, "%s changed during the build (%w): try again", w.target.shown, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.target.shown, err)
	}
	if err := w.disk.writeFile(to, data); err != nil {
		return fault.Errorf(fault.IO, "write the document of %s: %w", item.ID, fault.Cause(err))
	}
	return nil
}

// isAsIfMadeIn reports whether the file at a path could be one that is made in
// dir, a directory that was made just now, to judge by its owner and its mode,
// and was written to last at that time.
func isAsIfMadeIn(dir fs.FileInfo, path string, modified time.Time) bool {
	found, err := os.Lstat(path)
	return err == nil && found.ModTime().Equal(modified) &&
		found.Mode() == dir.Mode().Perm()&^0o111 && sameOwner(found, dir)
}
