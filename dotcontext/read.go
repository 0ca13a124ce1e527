package dotcontext

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

// errNotRegular is what reading anything but a file comes to.
var errNotRegular = errors.New("not a regular file")

// openRegular opens a file to read it, by open, and returns its size. It never
// waits for somebody to write to a pipe.
func openRegular(open func(string, int, os.FileMode) (*os.File, error), path string) (f *os.File, size int64, err error) {
	f, err = open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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

// read returns the text of a small file below the root. Of a larger one than a
// context may be it returns enough to see that.
func (p *Project) read(path string) ([]byte, error) {
	f, size, err := openRegular(p.root.OpenFile, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = contextfile.MaxSize + 1
	text := bytes.NewBuffer(make([]byte, 0, min(size, most)+bytes.MinRead))
	_, err = text.ReadFrom(io.LimitReader(f, most))
	return text.Bytes(), err
}
