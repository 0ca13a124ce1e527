package fetch

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
)

// An omissionKind is a kind of file that an entry leaves out.
type omissionKind struct{ one, many string }

var (
	outside    = omissionKind{"a link that leads outside", "links that lead outside"}
	toNothing  = omissionKind{"a broken link", "broken links"}
	toDir      = omissionKind{"a symlink to a directory", "symlinks to directories"}
	submodule  = omissionKind{"a submodule", "submodules"}
	special    = omissionKind{"neither a file nor a link", "entries that are neither files nor links"}
	unportable = omissionKind{"a file whose path is too long, not UTF-8 or contains a line feed", "files whose paths are too long, not UTF-8 or contain a line feed"}
	tooLarge   = omissionKind{fmt.Sprintf("larger than %d bytes", maxFile), fmt.Sprintf("files of more than %d bytes", maxFile)}
)

// An omission counts the files of a kind that an entry leaves out.
type omission struct {
	kind  omissionKind
	files int
	first string
}

func (o omission) String() string {
	if o.files == 1 {
		return fmt.Sprintf("%q is left out: it is %s", o.first, o.kind.one)
	}
	return fmt.Sprintf("%d %s are left out, the first is %q", o.files, o.kind.many, o.first)
}

// A treeKind says what is at a path of a tree.
type treeKind int

const (
	nothing treeKind = iota
	isFile
	isDir
)

// kindsOf returns the kinds of files and of the directories above them.
func kindsOf(files iter.Seq[string]) map[string]treeKind {
	kinds := map[string]treeKind{}
	for name := range files {
		kinds[name] = isFile
		for dir := path.Dir(name); dir != "." && kinds[dir] == nothing; dir = path.Dir(dir) {
			kinds[dir] = isDir
		}
	}
	return kinds
}

// A linkTree follows symlinks like a file system, but before the files are on one.
type linkTree struct {
	links   map[string]string // targets of symlinks, by path
	kindOf  map[string]treeKind
	visited map[string]linkEnd // so that each target is walked once, however many symlinks lead through it
}

// A linkEnd is where a path leads, or why it leads nowhere.
type linkEnd struct {
	at  string
	why omissionKind
}

// follow returns the file that the symlink at a path leads to, or why there is none.
func (t linkTree) follow(name string) (file string, why omissionKind) {
	end := t.walk(".", name, 0)
	switch {
	case end.why != (omissionKind{}):
		return "", end.why
	case t.kindOf[end.at] == isFile:
		return end.at, omissionKind{}
	case t.kindOf[end.at] == isDir, end.at == ".":
		return "", toDir
	}
	return "", toNothing
}

// walk returns where a path leads from a directory.
func (t linkTree) walk(dir, name string, links int) linkEnd {
	at := dir
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." && at == "." {
			return linkEnd{why: outside}
		}
		next := path.Join(at, part)
		if _, isLink := t.links[next]; isLink && part != ".." {
			end := t.end(next, links+1)
			if end.why != (omissionKind{}) {
				return end
			}
			next = end.at
		}
		if at = next; len(at) > maxPathBytes || strings.Count(at, "/") > maxDepth {
			return linkEnd{why: toNothing}
		}
	}
	return linkEnd{at: at}
}

// end returns where a symlink leads, in a directory that is none.
func (t linkTree) end(link string, links int) linkEnd {
	const longestChain = 40
	end, isKnown := t.visited[link]
	if isKnown {
		return end
	}
	t.visited[link] = linkEnd{why: toNothing} // for circles
	switch target := t.links[link]; {
	case links > longestChain:
		return linkEnd{why: toNothing}
	case path.IsAbs(target):
		end.why = outside
	default:
		end = t.walk(path.Dir(link), target, links)
	}
	t.visited[link] = end
	return end
}

// readTarget reads the target of a symlink.
func readTarget(size int64, content io.Reader) (string, error) {
	if size > maxPathBytes {
		return "", fmt.Errorf("it contains a symlink whose target takes %d bytes", size)
	}
	text, err := io.ReadAll(io.LimitReader(content, size))
	return string(text), err
}

// missingDir says which directories exist where a directory is missing.
func missingDir(dir string, files iter.Seq[string]) error {
	kinds := kindsOf(files)
	if kinds[dir] == isFile {
		return fmt.Errorf("dir: %s is not a directory", dir)
	}
	above := path.Dir(dir)
	for above != "." && kinds[above] != isDir {
		above = path.Dir(above)
	}
	var names []string
	for name, kind := range kinds {
		if path.Dir(name) == above && kind == isDir {
			names = append(names, strconv.Quote(name))
		}
	}
	slices.Sort(names)
	const most = 10
	return fmt.Errorf("it contains no directory %q: there are %s", dir, cmp.Or(strings.Join(words.Few(names, most), ", "), "no directories"))
}
