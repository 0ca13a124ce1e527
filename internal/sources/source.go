package sources

import (
	"errors"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/document"
)

// The errors of sources that a build can leave out.
var (
	ErrSharedID   = errors.New("sources share an ID, which is their path in lower case")
	ErrNoPath     = errors.New("sources have an ID, with a slash for a backslash, that is not a path")
	ErrTooDeep    = fmt.Errorf("lies more than %d directories deep", maxDepth)
	ErrTooLarge   = errors.New("is larger than")
	ErrUnreadable = errors.New("cannot be read")
)

// A Source is a page below a root, or one that a list names.
type Source struct {
	ID   document.ID
	Path string // with the prefix of the root and with slashes
	root *root  // that file is below; nil if a list names it
	file string // the file to read: that at Path, or the target of a symlink there, or that of the list
	line int    // of the list; 0 without one
}

// and names two sources with one ID. Those of two roots may have one path.
func (s Source) and(other Source) string {
	if s.root == other.root && s.root != nil {
		return s.Path + " and " + other.Path
	}
	return s.place() + " and " + other.place()
}

// place returns where the source was found, as a path that a user may give, or its line.
func (s Source) place() string {
	if s.root == nil {
		return fmt.Sprintf("%s (line %d)", s.Path, s.line)
	}
	return s.root.shown(strings.TrimPrefix(s.Path, s.root.mount.Prefix+"/"))
}

// File returns the path of the file to read, as a user may give it.
func (s Source) File() string {
	if s.root == nil {
		return s.file
	}
	return s.root.shown(s.file)
}

// IsMountedAsMDX reports whether the mount of the source says that its pages are MDX.
func (s Source) IsMountedAsMDX() bool { return s.root != nil && s.root.mount.MDX }
