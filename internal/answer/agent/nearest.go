package agent

import (
	"cmp"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
)

const mostNearest = 3

// nearest returns the IDs most similar to an ID that doesn't exist, starting with the best, and the
// names of their caches. If name is not "", it only searches this cache. It skips caches that
// cannot be read.
func nearest(caches []answers.Member, name string, id document.ID) []string {
	l := nearestList{wanted: nameOf(string(id))}
	for _, of := range caches {
		if name != "" && of.Name != name {
			continue
		}
		ids, _ := of.Documents()
		for _, id := range ids {
			l.add(string(id), prefix(of))
		}
	}
	return l.best()
}

// nearestNames returns the names most similar to a wanted name, starting with the best.
func nearestNames(wanted string, names []string) []string {
	l := nearestList{wanted: nameOf(wanted)}
	for _, name := range names {
		l.add(name, "")
	}
	return l.best()
}

// A nearestList contains names similar to a wanted name.
type nearestList struct {
	wanted splitName
	like   []nearName
}

// A nearName is a name with its differences from the wanted name.
type nearName struct {
	text    string
	edits   int // between the last parts of the paths
	parents int // directories in only one of the two paths
}

// add adds a name if it is similar: if the last parts of the paths differ by a few edits, or if either
// begins with the other. Answers print it after a prefix.
func (l *nearestList) add(name, prefix string) {
	const leastPrefix = 3
	w, n := l.wanted, nameOf(name)
	short := min(len(w.base), len(n.base))
	few := 1 + short/4
	edits := words.Distance(w.base, n.base, few)
	if edits <= few || short >= leastPrefix && w.base[:short] == n.base[:short] {
		l.like = append(l.like, nearName{prefix + name, edits, parentsApart(w.dir, n.dir)})
	}
}

// best returns the most similar names.
func (l *nearestList) best() (texts []string) {
	slices.SortFunc(l.like, func(a, b nearName) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.parents, b.parents), cmp.Compare(a.text, b.text))
	})
	for _, n := range l.like[:min(len(l.like), mostNearest)] {
		texts = append(texts, n.text)
	}
	return texts
}

// A splitName is the path of a page or context in lower case.
type splitName struct{ dir, base string }

// nameOf splits a path. It treats the index page of a directory as the directory itself, because
// people often mix them up.
func nameOf(name string) splitName {
	name = strings.ToLower(name)
	switch extension := slashpath.Ext(name); extension {
	case ".md", ".mdx", ".markdown", ".html", ".htm":
		name = strings.TrimSuffix(name, extension)
	}
	switch dir, base := slashpath.Split(name); base {
	case "readme", "index", "_index", "":
		if dir != "" {
			name = strings.TrimSuffix(dir, "/")
		}
	}
	dir, base := slashpath.Split(name)
	return splitName{dir, base}
}

// parentsApart counts the directories on which two paths differ.
func parentsApart(a, b string) (n int) {
	if a == b {
		return 0
	}
	in := map[string]int{}
	for part := range strings.SplitSeq(a, "/") {
		in[part]++
	}
	for part := range strings.SplitSeq(b, "/") {
		in[part]--
	}
	for _, count := range in {
		n += max(count, -count)
	}
	return n
}
