package convert

import (
	"bytes"
	"errors"
	"fmt"
)

// GoPage names the page of the Go files in a directory.
const GoPage = "package.go"

// AppendGoHeader starts the source of a Go package. The
// import path may be "".
func AppendGoHeader(to []byte, importPath string) []byte {
	return fmt.Appendf(to, "package %q\n", importPath)
}

// AppendGoFile appends a file of a Go package to its source.
func AppendGoFile(to []byte, name string, content []byte) []byte {
	return append(fmt.Appendf(to, "file %q %d\n", name, len(content)), content...)
}

// goFiles are the files of a Go package.
type goFiles struct {
	importPath string // "" if unknown
	files      []goFile
}

type goFile struct {
	name    string
	content []byte
}

var errGoSource = errors.New("the list of its files is damaged")

// readGoFiles reads the files of a Go package, or a single Go file.
func readGoFiles(content []byte) (all goFiles, err error) {
	if !bytes.HasPrefix(content, []byte(`package "`)) { // never begins a Go file
		return goFiles{files: []goFile{{GoPage, content}}}, nil
	}
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	if _, err := fmt.Sscanf(string(line), "package %q", &all.importPath); err != nil {
		return goFiles{}, errGoSource
	}
	for len(rest) > 0 {
		var name string
		var size int
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), "file %q %d", &name, &size); err != nil || size < 0 || size > len(rest) {
			return goFiles{}, errGoSource
		}
		all.files = append(all.files, goFile{name, rest[:size]})
		rest = rest[size:]
	}
	return all, nil
}
