package sources

import (
	"errors"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/document"
)

// The errors about sources that can be fixed by leaving the sources out.
var (
	ErrSharedID   = errors.New("sources share an ID, which is their path in lower case")
	ErrNoPath     = errors.New("sources have an ID that is not a path, because a backslash becomes a slash")
	ErrTooDeep    = fmt.Errorf("lies more than %d directories deep", maxDepth)
	ErrTooLarge   = errors.New("is larger than")
	ErrUnreadable = errors.New("cannot be read")
)

// A Source is a page below a root, or a page named in a list. It is small, because a build
// keeps all of them in memory.
type Source struct {
	ID   document.ID
	Path string // slash path, including the prefix of the mount
	root *root  // contains the file; nil for a list

	other *otherSource // nil for a file at Path
}

// An otherSource is what only some sources have.
type otherSource struct {
	file  string   // to read: the target of a symlink, or the file in the list
	line  int      // in the list; 0 without a list
	parts []Source // files of a Go package, instead of file; nil for other sources
}

// file returns the path of the file to read: below the root, or as the list spells it.
func (s Source) file() string {
	if s.other != nil {
		return s.other.file
	}
	if prefix := s.root.mount.Prefix; prefix != "" {
		return strings.TrimPrefix(s.Path, prefix+"/")
	}
	return s.Path
}

func (s Source) line() int { return s.other.line }

func (s Source) parts() []Source {
	if s.other == nil {
		return nil
	}
	return s.other.parts
}

// and names two sources that share an ID. In two roots they can have the same path, too.
func (s Source) and(other Source) string {
	if s.root == other.root && s.root != nil {
		return s.Path + " and " + other.Path
	}
	return s.place() + " and " + other.place()
}

func (s Source) place() string {
	if s.root == nil {
		return fmt.Sprintf("%s (line %d)", s.Path, s.line())
	}
	return s.root.shown(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/"))
}

// File returns the path of the file to read, as users would write it.
func (s Source) File() string {
	if s.root == nil {
		return s.file()
	}
	return s.root.shown(s.file())
}

// IsInGoModule reports whether the source belongs to an installed Go module, where users can't do
// anything about packages without documentation.
func (s Source) IsInGoModule() bool { return s.root != nil && s.root.mount.GoModule != "" }

// IsMountedAsMDX reports whether the mount of the source declares its pages to be MDX.
func (s Source) IsMountedAsMDX() bool { return s.root != nil && s.root.mount.MDX }
