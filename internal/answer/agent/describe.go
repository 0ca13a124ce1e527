package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
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

// Describe prints a line about a cache: its name, product, pages, sections, selection, version and
// description. In detail, it also prints the folders with the most pages, and the values of front
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
		folders, err1 := foldersOf(of)
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
func foldersOf(of answers.Member) (pageCounts, error) {
	ids, err := of.Documents()
	if err != nil {
		return nil, err
	}
	folders := foldersIn(ids, "")
	for range deepestFolders - 1 {
		if len(folders) == 0 || 2*folders[0].pages <= len(ids) {
			break
		}
		below := foldersIn(ids, folders[0].name)
		if 2*below.pages() <= folders[0].pages {
			break // most of its pages are in no folder
		}
		folders = append(below, folders[1:]...)
		folders.sort()
	}
	return folders, nil
}

// foldersIn returns the folders directly below a path, each with a slash at its end.
func foldersIn(ids []document.ID, path string) (folders pageCounts) {
	counts := map[string]int{}
	for _, id := range ids {
		rest, isIn := strings.CutPrefix(string(id), path)
		if name, _, isFolder := strings.Cut(rest, "/"); isIn && isFolder {
			counts[path+name+"/"]++
		}
	}
	for name, n := range counts {
		folders = append(folders, pageCount{name, n})
	}
	folders.sort()
	return folders
}

// fieldsOf returns the fields of a cache that filter best, with their numbers of pages, for example
// "topic=guide (2), api (1)". Their keys have several values, cover a quarter of the pages, and on
// average at least two pages share a value.
func fieldsOf(ctx context.Context, of answers.Member, pages int) (string, error) {
	byKey := map[string]pageCounts{} // at most fewFieldValues+1 of each
	err := of.EachField(ctx, func(field string, pages int) error {
		key, value, _ := strings.Cut(field, "=")
		isList := strings.Contains(value, ", ") // whose elements are also fields
		isUseful := key != "title" && value != "" && !isList && len(field) <= longestField
		if values := byKey[key]; isUseful && len(values) <= fewFieldValues {
			byKey[key] = append(values, pageCount{field, pages})
		}
		return nil
	})
	var best []string // keys
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		n, total := len(byKey[key]), byKey[key].pages()
		if n > 1 && n <= fewFieldValues && 4*total >= pages && total >= 2*n {
			best = append(best, key)
		}
	}
	slices.SortStableFunc(best, func(a, b string) int { return cmp.Compare(byKey[b].pages(), byKey[a].pages()) })
	var texts []string
	for _, key := range best[:min(len(best), mostFields)] {
		values := byKey[key]
		values.sort()
		for i := range values[1:] {
			values[i+1].name = values[i+1].name[len(key)+len("="):]
		}
		texts = append(texts, few(values.texts(), mostFieldValues, "more value"))
	}
	return strings.Join(texts, "; "), err
}
