package sources

import (
	"fmt"
	"go/build"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/convert"
)

// goExtension is an extension of files without pages of their own. The Go files of a
// directory are a package, and a package is a page.
const goExtension = ".go"

// notImported are directories the go command ignores.
var notImported = []string{"testdata", "vendor"}

// isGoPart reports whether a file, given by its path below a root, is a part of a Go package.
// Of the tests, only examples count, by the usual names of their files.
func isGoPart(below string) bool {
	for name := range strings.SplitSeq(below, "/") {
		if name[0] == '_' || name[0] == '.' || slices.Contains(notImported, name) {
			return false
		}
	}
	name := path.Base(below)
	return path.Ext(name) == goExtension && (!strings.HasSuffix(name, "_test.go") || strings.Contains(name, "example"))
}

// goPackage returns the page of the Go files in a directory below a root.
func (r *root) goPackage(below string, parts []Source) Source {
	name := r.sourcePath(path.Join(below, convert.GoPage))
	return Source{ID: document.IDOf(name), Path: name, root: r, other: &otherSource{file: path.Join(below, convert.GoPage), parts: parts}}
}

// goPlatforms are the operating systems and architectures whose files make a package, like on
// pkg.go.dev. The first that has any files counts, so that all machines make the same page.
var goPlatforms = [][2]string{{"linux", "amd64"}, {"windows", "amd64"}, {"darwin", "amd64"}, {"js", "wasm"}}

// openGoPackage finds out which files of a package to read.
func openGoPackage(source Source) (*File, error) {
	file := &File{Source: source, limit: document.MaxSize}
	for _, platform := range goPlatforms {
		hasCode := false
		for _, part := range source.parts() {
			matches, size, err := matchGo(part, platform)
			if err != nil {
				return nil, err
			}
			if matches {
				file.parts = append(file.parts, part)
				file.size += size
				hasCode = hasCode || !strings.HasSuffix(part.file(), "_test.go")
			}
		}
		if hasCode {
			return file, nil
		}
		file.parts, file.size = nil, 0
	}
	return file, nil
}

// matchGo reports whether the build constraints of a file admit it on a platform, and returns
// its size. A file that isn't Go counts, so that its converter reports it.
func matchGo(part Source, platform [2]string) (matches bool, size int64, err error) {
	context := build.Context{GOOS: platform[0], GOARCH: platform[1], Compiler: "gc", CgoEnabled: true, ReleaseTags: goReleases}
	var refused error
	context.JoinPath = path.Join
	context.OpenFile = func(string) (io.ReadCloser, error) {
		file, err := Open(part)
		if err != nil {
			refused = err
			return nil, err
		}
		size = file.Size()
		return file.file, nil
	}
	matches, err = context.MatchFile(".", path.Base(part.Path))
	return matches || err != nil, size, refused
}

// goReleases are set build tags. The list is fixed instead of ending with the release of the
// compiler, because otherwise the compiler would decide which files count.
var goReleases = func() (tags []string) {
	for minor := range 100 {
		tags = append(tags, fmt.Sprintf("go1.%d", minor+1))
	}
	return tags
}()

// readGoPackage joins the files of a package.
func (f *File) readGoPackage() ([]byte, error) {
	content := convert.AppendGoHeader(nil, f.Source.importPath())
	for _, part := range f.parts {
		file, err := Open(part)
		if err != nil {
			return nil, err
		}
		text, err := file.Read(nil)
		file.Close()
		if err != nil {
			return nil, err
		}
		content = convert.AppendGoFile(content, path.Base(part.Path), text)
		if int64(len(content)) > f.limit {
			return nil, fault.Errorf(fault.IO, "%s %w %d bytes", f.Source.fileName(), ErrTooLarge, f.limit)
		}
	}
	return content, nil
}

// importPath returns the path by which programs import a package, or "" if it isn't known.
func (s Source) importPath() string {
	if s.root.mount.GoModule == "" {
		return ""
	}
	return path.Join(s.root.mount.GoModule, path.Dir(s.file()))
}
