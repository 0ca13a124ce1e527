package cache

import (
	"context"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
)

// keepDocuments takes the documents over that are kept. Their files are made
// anew only where the system cannot give them a second name, which costs half
// of that and no room.
func (w *Writer) keepDocuments(ctx context.Context, s sealed) error {
	var kept []int
	for i, item := range s.items {
		if item.IsKept() {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	mode, err := w.modeOfFiles()
	if err != nil {
		return err
	}
	_, err = parallel.Each(ctx, w.options.Jobs, kept, func(_ context.Context, _, i int) (struct{}, error) {
		return struct{}{}, w.keep(s.items[i], s.manifest.Documents[i].File, mode)
	})
	return err
}

// modeOfFiles returns the permissions that files are made with here, as far as
// those of a directory show them.
func (w *Writer) modeOfFiles() (os.FileMode, error) {
	found, err := os.Stat(w.documentsDir())
	if err != nil {
		return 0, fault.Errorf(fault.IO, "look at %s: %w", w.documentsDir(), fault.Cause(err))
	}
	return found.Mode().Perm() &^ 0o111, nil
}

// keep gives a document of the previous cache a name in the new one.
func (w *Writer) keep(item Item, name string, mode os.FileMode) error {
	d := w.previous.of(item)
	from := filepath.Join(w.target.path, documentsName, d.File)
	to := filepath.Join(w.documentsDir(), name)
	found, err := os.Lstat(from)
	if err == nil && found.Mode() == mode && found.Size() == d.FileSize && w.disk.link(from, to) == nil {
		return nil
	}
	data, err := w.previous.read(d, nil)
	if err != nil {
		return fault.Errorf(fault.IO, "%s: %s changed during the build: try again", w.target.shown, documentsName+"/"+d.File)
	}
	if err := w.disk.writeFile(to, data); err != nil {
		return fault.Errorf(fault.IO, "write the document of %s: %w", item.ID, fault.Cause(err))
	}
	return nil
}
