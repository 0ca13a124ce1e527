package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A corpus is a directory with three copies of the same Markdown files, and with
// all their caches and databases. The copy sources never changes, while changing0
// and changing1 change between rounds.
type corpus struct {
	dir, query string
	pages      []string // paths below the sources
	size       int64    // bytes of all pages
}

// newCorpus copies the Markdown files of from to dir and builds the caches of
// the pages that will change.
func newCorpus(dir, from, query string) (*corpus, error) {
	c := &corpus{dir: dir, query: query}
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(path, ".md") {
			return err
		}
		page, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return c.add(page, path)
	})
	if err == nil && len(c.pages) == 0 {
		err = fmt.Errorf("%s contains no Markdown files", from)
	}
	if err != nil {
		return nil, err
	}
	for selection := range 2 {
		if _, err := measure(build(selection, c.changing(selection), c.changed(selection)), nil); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *corpus) add(page, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	c.pages, c.size = append(c.pages, page), c.size+int64(len(text))
	for _, copied := range []string{c.sources(), c.changing(0), c.changing(1)} {
		copied = filepath.Join(copied, page)
		if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(copied, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (c *corpus) sources() string { return filepath.Join(c.dir, "sources") }

func (c *corpus) changing(selection int) string { return c.numbered("changing", selection) }

// changed is the cache of the pages that change.
func (c *corpus) changed(selection int) string { return c.numbered("changed", selection) }

// cold is the cache that a round builds from nothing.
func (c *corpus) cold(selection, round int) string {
	return c.numbered(fmt.Sprintf("selection%d-round", selection), round)
}

func (c *corpus) database(round int) string { return c.numbered("fts5-round", round) }

func (c *corpus) numbered(name string, n int) string {
	return filepath.Join(c.dir, fmt.Sprint(name, n))
}

// changePages appends a line to 1% of the pages, and to other pages in every round.
func (c *corpus) changePages(selection, round int) error {
	for i := round % min(100, len(c.pages)); i < len(c.pages); i += 100 {
		path := filepath.Join(c.changing(selection), c.pages[i])
		if err := appendLine(path, fmt.Sprintf("Changed in round %d.", round)); err != nil {
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
	_, err = f.WriteString("\n" + line + "\n")
	return errors.Join(err, f.Close())
}

// sizes returns the sizes of a cache and of its index, divided by the size of its text in bytes.
func sizes(cache string, text int64) (string, error) {
	all, err := size(cache)
	if err != nil {
		return "", err
	}
	index, err := size(cache, ".idx")
	return fmt.Sprintf(" %.3f cache/text %.3f index/text", float64(all)/float64(text), float64(index)/float64(text)), err
}

// size adds up the bytes of the files below dir. With extensions, it only counts files with one of
// them. It reads directories in parts, because this program must stay small.
func size(dir string, extensions ...string) (sum int64, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for {
		entries, err := d.Readdir(256)
		for _, e := range entries {
			switch {
			case e.IsDir():
				below, err := size(filepath.Join(dir, e.Name()), extensions...)
				if err != nil {
					return 0, err
				}
				sum += below
			case len(extensions) == 0 || slices.Contains(extensions, filepath.Ext(e.Name())):
				sum += e.Size()
			}
		}
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
	}
}
