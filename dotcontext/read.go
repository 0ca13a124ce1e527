package dotcontext

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"syscall"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

// errNotRegular is what reading anything but a file comes to.
var errNotRegular = errors.New("not a regular file")

// errTooLarge is what is wrong with a file that is larger than a context may be.
var errTooLarge = errors.New("the file is larger than 1 MiB; shorten it")

// openRegular opens a file below the root to read it, and returns its size. It
// never waits for somebody to write to a pipe.
func (p *Project) openRegular(path string) (f *os.File, size int64, err error) {
	f, err = p.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// read returns the text of a small file below the root.
func (p *Project) read(path string) ([]byte, error) {
	f, size, err := p.openRegular(path)
	if err != nil {
		return nil, asUnread(path, err)
	}
	defer f.Close()
	if size > contextfile.MaxSize {
		return nil, errTooLarge
	}
	text := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	n, err := text.ReadFrom(io.LimitReader(f, contextfile.MaxSize+1))
	if n > contextfile.MaxSize {
		return nil, errTooLarge
	}
	return text.Bytes(), asUnread(path, err)
}

// What there may be in the place of a context.
var (
	errMissing  = errors.New("no " + contextfile.Name)
	errDangling = errors.New("a symlink that leads nowhere")
)

// contextAt reads the context of the directory at a scope in canonical form.
// The errors are those of textAt and of [contextfile.Parse].
func (p *Project) contextAt(scope string) (*contextfile.Context, error) {
	return parsed(p.textAt(scope))
}

// contextIn is contextAt for a directory that a scan has listed.
func (p *Project) contextIn(d *directory) (*contextfile.Context, error) {
	return parsed(p.textIn(d))
}

func parsed(text []byte, err error) (*contextfile.Context, error) {
	if err != nil {
		return nil, err
	}
	return contextfile.Parse(text)
}

// textIn reads the .context.yaml of a directory that a scan has listed. A scan
// follows no symlinks, so there is seldom any to look for.
func (p *Project) textIn(d *directory) ([]byte, error) {
	switch {
	case d.fileIsPlain:
		return p.read(path.Join(d.scope, contextfile.Name))
	case d.hasFile:
		text, err := p.textAt(d.scope)
		if errors.Is(err, errMissing) {
			err = errDangling
		}
		return text, err
	}
	return nil, errMissing
}

// textAt reads the .context.yaml at a scope in canonical form. It fails with
// errMissing if none can be found, with errOutside, or with what keeps one that
// is there from being read.
func (p *Project) textAt(scope string) ([]byte, error) {
	real, err := p.realScope(scope)
	if err == nil {
		real, err = p.realScope(path.Join(real, contextfile.Name))
	}
	switch {
	case errors.Is(err, errOutside), isRefusal(err):
		return nil, asUnread(path.Join(scope, contextfile.Name), err)
	case err != nil:
		return nil, errMissing
	}
	return p.read(real)
}
