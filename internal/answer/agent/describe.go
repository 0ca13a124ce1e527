package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
)

// MostInDetail is how many caches an answer describes in detail. Some clients cut long answers.
const MostInDetail = 10

const (
	mostFolders     = 8
	deepestFolders  = 4  // levels
	mostFields      = 3  // keys of front matter
	mostFieldValues = 6  // listed values of a key
	fewFieldValues  = 24 // values of a key; keys with more don't filter well
	longestField    = 80 // bytes of a key and its value
	longestDetail   = 500
)

// Describe prints a line about a cache: its name, product, pages, sections, selection, version
// and description. In detail, it also prints the folders with the most pages, and the values of front
// matter most useful as filters.
func Describe(ctx context.Context, out *bytes.Buffer, of answers.Member, inDetail bool) error {
	pages, sections, err := of.Size()
	if err != nil {
		return err
	}
	of.Name = cmp.Or(of.Name, "cache")
	line := fmt.Sprintf("- %s: %s", originOf(of), count(pages, "page"))
	if sections > 0 {
		line += ", " + count(sections, "section")
	}
	line += fmt.Sprintf(", selection %s, %s", of.Selection(), of.Version())
	if about := of.About(); about.Description != "" {
		line += ": " + about.Description
	}
	lines := []string{oneLine(line)}
	if inDetail {
		folders, err1 := foldersOf(ctx, of)
		fields, err2 := fieldsOf(ctx, of, pages)
		if err := cmp.Or(err1, err2); err != nil {
			return err
		}
		lines = append(lines, detail("path", few(folders.texts(), mostFolders, "more folder")), detail("where", fields))
	}
	for _, line := range lines {
		if line != "" {
			out.WriteString(line + "\n")
		}
	}
	return nil
}

// detail returns a line with values for an argument, or "" without values.
func detail(argument, values string) string {
	if values == "" {
		return ""
	}
	return clip(fmt.Sprintf("  %s: %s", argument, words.Printable(values)), longestDetail)
}

// A pageCount says how many pages a folder or value contains.
type pageCount struct {
	name  string
	pages int
}

// pageCounts are counts of pages, with the largest first once they are sorted.
type pageCounts []pageCount

func (all pageCounts) sort() {
	slices.SortFunc(all, func(a, b pageCount) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), strings.Compare(a.name, b.name))
	})
}

func (all pageCounts) pages() (n int) {
	for _, c := range all {
		n += c.pages
	}
	return n
}

func (all pageCounts) texts() (texts []string) {
	for _, c := range all {
		texts = append(texts, fmt.Sprintf("%s (%s)", c.name, thousands(c.pages)))
	}
	return texts
}

// foldersOf returns the top-level folders of a cache. A folder with most of the pages, such as
// content/, doesn't help to choose, so its own folders replace it.
func foldersOf(ctx context.Context, of answers.Member) (folders pageCounts, err error) {
	ids, err := of.Documents()
	if err == nil {
		folders, err = foldersIn(ctx, ids, "")
	}
	for range deepestFolders - 1 {
		if err != nil || len(folders) == 0 || 2*folders[0].pages <= len(ids) {
			break
		}
		var below pageCounts
		below, err = foldersIn(ctx, ids, folders[0].name)
		if 2*below.pages() <= folders[0].pages {
			break // most of its pages are in no folder
		}
		folders = append(below, folders[1:]...)
		folders.sort()
	}
	return folders, err
}

// foldersIn returns the folders directly below a path, each with a slash at its end.
func foldersIn(ctx context.Context, ids []document.ID, path string) (folders pageCounts, err error) {
	for _, id := range ids { // sorted, so the pages of a folder are consecutive
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		rest, isIn := strings.CutPrefix(string(id), path)
		name, _, isFolder := strings.Cut(rest, "/")
		if !isIn || !isFolder {
			continue
		}
		name = path + name + "/"
		if n := len(folders); n == 0 || folders[n-1].name != name {
			folders = append(folders, pageCount{name: name})
		}
		folders[len(folders)-1].pages++
	}
	folders.sort()
	return folders, nil
}

// A fieldList collects the most useful keys of front matter for filtering pages: they occur on many
// pages with few different values. It expects the fields in order.
type fieldList struct {
	pages  int // of the cache
	key    string
	values pageCounts // of the key, at most fewFieldValues+1
	best   []pageCounts
}

// fieldsOf returns the best fields of a cache with their numbers of pages, for example
// "topic=guide (2), api (1)".
func fieldsOf(ctx context.Context, of answers.Member, pages int) (string, error) {
	l := fieldList{pages: pages}
	err := of.EachField(ctx, func(field string, pages int) error {
		l.add(field, pages)
		return nil
	})
	l.endKey()
	slices.SortStableFunc(l.best, func(a, b pageCounts) int { return cmp.Compare(b.pages(), a.pages()) })
	var texts []string
	for _, values := range l.best[:min(len(l.best), mostFields)] {
		values.sort()
		key, _, _ := strings.Cut(values[0].name, "=")
		for i := range values[1:] {
			values[i+1].name = values[i+1].name[len(key)+len("="):]
		}
		texts = append(texts, few(values.texts(), mostFieldValues, "more value"))
	}
	return strings.Join(texts, "; "), err
}

func (l *fieldList) add(field string, pages int) {
	key, value, _ := strings.Cut(field, "=")
	if key != l.key {
		l.endKey()
		l.key = key
	}
	isList := strings.Contains(value, ", ") // whose elements are also fields
	if key == "title" || value == "" || isList || len(field) > longestField || len(l.values) > fewFieldValues {
		return
	}
	l.values = append(l.values, pageCount{field, pages})
}

// endKey keeps the values of the current key if they filter well: there are several, they cover a
// quarter of the pages, and on average at least two pages share a value.
func (l *fieldList) endKey() {
	n := len(l.values)
	if total := l.values.pages(); n > 1 && n <= fewFieldValues && 4*total >= l.pages && total >= 2*n {
		l.best = append(l.best, l.values)
	}
	l.values = nil
}
