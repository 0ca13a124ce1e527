package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A site is a directory in scratch with a corpus and what is made of it.
// Nothing in it is deleted while there is something to measure: that slows
// down the file system.
type site struct {
	dir       string
	sources   string   // the Markdown, and nothing else
	changing  string   // a copy that changes between rebuilds
	cache     string   // of sources
	changed   string   // the cache of changing
	streamed  string   // a copy of cache without its selection index
	documents []string // the paths in sources
	size      int64    // bytes of Markdown
}

const selectionIndex = "selection.idx"

// newSite copies the Markdown below from into dir twice.
func newSite(dir, from string) (s site, err error) {
	s = site{
		dir:      dir,
		sources:  filepath.Join(dir, "sources"),
		changing: filepath.Join(dir, "changing"),
		cache:    filepath.Join(dir, "cache"),
		changed:  filepath.Join(dir, "changed"),
		streamed: filepath.Join(dir, "streamed"),
	}
	if s.documents, s.size, err = copyMarkdown(s.sources, from); err != nil {
		return site{}, err
	}
	if len(s.documents) == 0 {
		return site{}, errors.New("no *.md in " + from)
	}
	_, _, err = copyMarkdown(s.changing, from)
	return s, err
}

// copyMarkdown copies the *.md files below from and returns the paths of the
// copies and their size. They are given a past: documentation is seldom
// written in the second before it is built.
func copyMarkdown(to, from string) (copies []string, size int64, err error) {
	past := time.Now().Add(-time.Hour)
	source := os.DirFS(from)
	err = fs.WalkDir(source, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".md") {
			return err
		}
		text, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(path))
		copies, size = append(copies, target), size+int64(len(text))
		return writePast(target, text, past)
	})
	return copies, size, err
}

func writePast(path string, text []byte, past time.Time) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return err
	}
	return os.Chtimes(path, past, past)
}

// buildCaches makes the caches that later rounds need.
func (s site) buildCaches(ctx context.Context, b bench) error {
	for _, pair := range [][2]string{{s.sources, s.cache}, {s.changing, s.changed}} {
		if _, err := b.watch.measure(ctx, b.build(pair[0], pair[1])); err != nil {
			return err
		}
	}
	if err := os.CopyFS(s.streamed, os.DirFS(s.cache)); err != nil {
		return err
	}
	return os.Remove(filepath.Join(s.streamed, selectionIndex))
}

// changeSome appends a line to every 100th document of changing, to others in
// each round.
func (s site) changeSome(round int) error {
	for i := round % min(100, len(s.documents)); i < len(s.documents); i += 100 {
		path, err := filepath.Rel(s.sources, s.documents[i])
		if err != nil {
			return err
		}
		if err := appendLine(filepath.Join(s.changing, path), fmt.Sprintf("Changed in round %d.\n", round)); err != nil {
			return err
		}
	}
	return nil
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// indexSize returns the bytes of the selection index, 0 if there is none.
func (s site) indexSize() int64 {
	found, err := os.Stat(filepath.Join(s.cache, selectionIndex))
	if err != nil {
		return 0
	}
	return found.Size()
}
