// Command floor does the least that a build must do. It walks a directory, reads
// its Markdown files, hashes and parses them, writes them to another directory, and
// syncs the file system once. It uses all processors. Since no build can be faster,
// bench/programs/rounds compares builds with it.
//
//	floor SOURCES OUT
package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: floor SOURCES OUT")
		os.Exit(1)
	}
	if err := copyPages(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

var markdown = goldmark.New().Parser()

func copyPages(sources, out string) error {
	pages, err := list(sources)
	if err != nil {
		return err
	}
	if err := os.Mkdir(out, 0o777); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, page := range pages {
		group.Go(func() error { return copyPage(page, filepath.Join(out, fmt.Sprint(i))) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return syncFileSystem(out)
}

func list(dir string) (pages []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	})
	return pages, err
}

// copyPage writes a page and, as a cache does, the hash of its content.
func copyPage(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	markdown.Parse(text.NewReader(content))
	sum := sha256.Sum256(content)
	return os.WriteFile(to, append(content, sum[:]...), 0o666)
}

func syncFileSystem(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return unix.Syncfs(int(dir.Fd()))
}
