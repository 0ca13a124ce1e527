package dotcontext

import (
	"errors"
	"io"
	"path"

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

var errTooLarge = errors.New("the file is larger than 1 MiB; shorten it")

// read returns the text of a small file below the root.
func (p *Project) read(path string) ([]byte, error) {
	f, _, err := files.Open(p.root, path)
	if err != nil {
		return nil, asUnread(path, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, contextfile.MaxSize+1))
	if len(text) > contextfile.MaxSize {
		return nil, errTooLarge
	}
	return text, asUnread(path, err)
}

// These errors mean that a directory has no context.
var (
	errMissing  = errors.New("no " + contextfile.Name)
	errDangling = errors.New("a symlink that leads nowhere")
)

func (p *Project) contextIn(d *projectDir) (*contextfile.Context, error) {
	text, err := p.textIn(d)
	if err != nil {
		return nil, err
	}
	return contextfile.Parse(text)
}

// headIn returns the head of the context in a directory listed by a scan. It
// reads the file only if the memory does not know its current state.
func (p *Project) headIn(d *projectDir) (*contextfile.Head, error) {
	if p.memory != nil && d.fileIsPlain {
		switch head, isKnown := p.memory.heads.Get(keyOf(d.file)); {
		case isKnown && head == nil:
			return nil, errInvalid
		case isKnown:
			return head, nil
		}
	}
	text, err := p.textIn(d)
	if err != nil {
		return nil, err
	}
	var head *contextfile.Head
	c, err := contextfile.Parse(text)
	if err == nil {
		copied := c.Head // to free the rest
		head = &copied
	}
	if int64(len(text)) == d.file.size && d.fileIsPlain && p.hasSettled(d.file) {
		p.memory.heads.Put(keyOf(d.file), head, headSize+len(text))
	}
	return head, err
}

// errInvalid replaces the errors of [contextfile.Parse] if they are never printed.
var errInvalid = errors.New("the context is not valid")

func (p *Project) textIn(d *projectDir) ([]byte, error) {
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
// errMissing, with errOutside, or with the reason why the file cannot be read.
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
