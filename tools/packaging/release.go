package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A release consists of all archives of a version.
type release struct {
	Version  string             // without "v"
	Archives map[string]archive // by system_architecture, as in their names
	Bundle   file               // for Claude Desktop
}

// An archive contains the programs for one system and architecture, and what comes
// with them.
type archive struct {
	file
	System, Architecture string            // as Go calls them
	holds                map[string][]byte // the files in it, by their paths
}

// A file has a base name and content.
type file struct {
	Name    string
	content []byte
}

// SHA256 returns the hash of the content in hexadecimal.
func (f file) SHA256() string { return fmt.Sprintf("%x", sha256.Sum256(f.content)) }

// Repository is where the source and the releases are.
func (release) Repository() string { return "https://github.com/contextcompiler/context" }

// URL returns where the files of the release are downloaded.
func (r release) URL() string { return r.Repository() + "/releases/download/v" + r.Version }

// Suffix returns what the names of programs end with.
func (a archive) Suffix() string {
	if a.System == "windows" {
		return ".exe"
	}
	return ""
}

// Manual returns the paths of the manual pages.
func (a archive) Manual() (paths []string) {
	for path := range a.holds {
		if strings.HasPrefix(path, "man/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

var archiveLine = regexp.MustCompile(`(?m)^([0-9a-f]{64})  (context_(.+)_(darwin|freebsd|linux|windows)_(amd64|arm64)\.(?:tar\.gz|zip))$`)

// readRelease reads the archives that SHA256SUMS in dist names.
func readRelease(dist string) (release, error) {
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		return release{}, err
	}
	r := release{Archives: map[string]archive{}}
	for _, line := range archiveLine.FindAllStringSubmatch(string(sums), -1) {
		hash, name, version, system, architecture := line[1], line[2], line[3], line[4], line[5]
		if r.Version != "" && r.Version != version {
			return release{}, fmt.Errorf("SHA256SUMS has archives of version %s and of %s", r.Version, version)
		}
		a, err := readArchive(filepath.Join(dist, name), hash)
		if err != nil {
			return release{}, fmt.Errorf("%s: %w", name, err)
		}
		a.System, a.Architecture = system, architecture
		for _, path := range []string{"context" + a.Suffix(), "mcp-context-server" + a.Suffix(), "LICENSE", "THIRD_PARTY_NOTICES"} {
			if a.holds[path] == nil {
				return release{}, fmt.Errorf("%s has no %s", name, path)
			}
		}
		r.Version, r.Archives[system+"_"+architecture] = version, a
	}
	if len(r.Archives) != 8 {
		return release{}, fmt.Errorf("SHA256SUMS names %d archives, want 8, such as context_1.2.3_linux_amd64.tar.gz", len(r.Archives))
	}
	return r, nil
}

// readArchive reads an archive, whose checksum must be hash.
func readArchive(path, hash string) (archive, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return archive{}, err
	}
	a := archive{file: file{filepath.Base(path), content}}
	if got := a.SHA256(); got != hash {
		return archive{}, fmt.Errorf("it has the hash %s, and %s in SHA256SUMS", got, hash)
	}
	unpack := untar
	if strings.HasSuffix(path, ".zip") {
		unpack = unzip
	}
	a.holds, err = unpack(content)
	return a, err
}

// untar returns the files of a .tar.gz by their paths.
func untar(content []byte) (map[string][]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for entries := tar.NewReader(plain); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if entry.Typeflag == tar.TypeDir {
			continue
		}
		if files[entry.Name], err = io.ReadAll(entries); err != nil {
			return nil, err
		}
	}
}

// unzip returns the files of a .zip by their paths.
func unzip(content []byte) (map[string][]byte, error) {
	entries, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, entry := range entries.File {
		if entry.FileInfo().IsDir() {
			continue
		}
		opened, err := entry.Open()
		if err != nil {
			return nil, err
		}
		if files[entry.Name], err = io.ReadAll(opened); err != nil {
			return nil, err
		}
	}
	return files, nil
}
