package registry

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// A layer is a tar archive with a single form (docs/distribution.md): USTAR headers without
// times and owners, sorted names, and two blocks of zeros at the end. So an archive is sound
// if writing its files again makes the same bytes, which leaves no room for links, devices,
// other owners or names in two spellings.

const maxTarName = 100 // bytes; longer names would need a prefix

// A tarWriter writes a layer. Names must be added in order.
type tarWriter struct{ out *tar.Writer }

func newTarWriter(out io.Writer) tarWriter { return tarWriter{tar.NewWriter(out)} }

// begin writes the header of a file, or of a directory if the name ends in a slash.
func (w tarWriter) begin(name string, size int64) error {
	if len(name) > maxTarName {
		return fmt.Errorf("the name %q is longer than %d bytes", name, maxTarName)
	}
	header := tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644}
	if strings.HasSuffix(name, "/") {
		header.Typeflag, header.Mode = tar.TypeDir, 0o755
	}
	return w.out.WriteHeader(&header)
}

// add writes a file, or a directory if the name ends in a slash.
func (w tarWriter) add(name string, size int64, content io.Reader) error {
	if err := w.begin(name, size); err != nil || size == 0 {
		return err
	}
	_, err := io.CopyN(w.out, content, size)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s became shorter while it was read", name)
	}
	return err
}

func (w tarWriter) close() error { return w.out.Close() }

// readTar calls visit for each file of a layer, and returns the hash of the layer. It fails unless
// a tarWriter could have written it. visit must read the whole content, and must not trust it,
// because the archive is only compared at its end.
func readTar(in io.Reader, visit func(name string, size int64, content io.Reader) error) (*summer, error) {
	read, again := newSummer(), newSummer()
	source := io.TeeReader(in, read)
	w := newTarWriter(again)
	err := readFiles(tar.NewReader(source), w, visit)
	if err == nil {
		_, err = io.Copy(io.Discard, source)
	}
	if err == nil {
		err = w.close()
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the archive ends early")
	case err != nil:
		return nil, err
	case read.digest() != again.digest():
		return nil, errors.New("the archive differs from what this program writes for the same files")
	}
	return read, nil
}

// readFiles passes each file of an archive to visit and to a tarWriter.
func readFiles(in *tar.Reader, again tarWriter, visit func(name string, size int64, content io.Reader) error) error {
	last := ""
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := header.Name
		isDir := header.Typeflag == tar.TypeDir
		switch {
		case header.Format != tar.FormatUSTAR || !isDir && header.Typeflag != tar.TypeReg:
			return fmt.Errorf("the header of %q contains a link or another kind of file", name)
		case !fs.ValidPath(strings.TrimSuffix(name, "/")) || isDir != strings.HasSuffix(name, "/"):
			return fmt.Errorf("%q is not a plain path", name)
		case name <= last:
			return fmt.Errorf("%q does not come after %q", name, last)
		}
		last = name
		if err := again.begin(name, header.Size); err != nil {
			return err
		}
		if err := visit(name, header.Size, io.TeeReader(in, again.out)); err != nil {
			return err
		}
	}
}
