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

// A Source is a page below a root, or a page named in a list.
type Source struct {
	ID   document.ID
	Path string // slash path, including the prefix of the mount
	root *root  // contains file; nil for a list
	file string // to read: at Path, the target of a symlink there, or in the list
	line int    // in the list; 0 without a list

	parts []Source // files of a Go package, instead of file; nil for other sources
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
		return fmt.Sprintf("%s (line %d)", s.Path, s.line)
	}
	return s.root.shown(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/"))
}

// File returns the path of the file to read, as users would write it.
func (s Source) File() string {
	if s.root == nil {
		return s.file
	}
	return s.root.shown(s.file)
}

// IsInGoModule reports whether the source belongs to an installed Go module, where users can't do
// anything about packages without documentation.
func (s Source) IsInGoModule() bool { return s.root != nil && s.root.mount.GoModule != "" }

// IsMountedAsMDX reports whether the mount of the source declares its pages to be MDX.
func (s Source) IsMountedAsMDX() bool { return s.root != nil && s.root.mount.MDX }
