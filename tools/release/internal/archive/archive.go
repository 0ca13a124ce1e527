// Package archive reads the archives of a release.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Program is an executable file in an archive.
type Program struct {
	Name    string // with .exe on Windows
	Content []byte
	Info    *buildinfo.BuildInfo
}

// Setting returns a setting of the build, such as vcs.revision, or "".
func (p Program) Setting(key string) string {
	for _, s := range p.Info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// An Archive contains the files of a .tar.gz or .zip.
type Archive struct {
	Bytes []byte // of the file itself
	Files map[string][]byte
}

// Open reads an archive into memory.
func Open(path string) (*Archive, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	read := readTar
	if strings.HasSuffix(path, ".zip") {
		read = readZip
	}
	files, err := read(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Archive{Bytes: content, Files: files}, nil
}

// Programs returns the two programs, which must be of the same version.
func (a *Archive) Programs() ([]Program, error) {
	var found []Program
	for _, name := range []string{"context", "mcp-context-server"} {
		content := a.Files[name]
		if content == nil {
			name += ".exe"
			content = a.Files[name]
		}
		info, err := buildinfo.Read(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found = append(found, Program{name, content, info})
	}
	if v, w := found[0].Info.Main.Version, found[1].Info.Main.Version; v != w || v == "" {
		return nil, fmt.Errorf("the programs have the versions %q and %q: build both from one commit", v, w)
	}
	return found, nil
}

func readTar(content []byte) (map[string][]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}

func readZip(content []byte) (map[string][]byte, error) {
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range r.File {
		opened, err := f.Open()
		if err != nil {
			return nil, err
		}
		if files[f.Name], err = io.ReadAll(opened); err != nil {
			return nil, err
		}
	}
	return files, nil
}
