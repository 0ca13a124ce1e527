package agent

import (
	"cmp"
	"math"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answers"
	"github.com/contextcompiler/context/internal/words"
)

// mostNearest is how many names an error suggests.
const mostNearest = 3

// nearest returns the IDs of pages that are most like one that no cache has, the best
// first and with the names of their caches. If name is not "", it looks in that cache
// only. A cache that cannot be read has none.
func nearest(caches []answers.Member, name string, id document.ID) []string {
	l := nearestList{wanted: nameOf(string(id))}
	for _, of := range caches {
		if name != "" && of.Name != name {
			continue
		}
		ids, _ := of.Documents()
		for _, id := range ids {
			l.add(string(id), prefix(of)+string(id))
		}
	}
	return l.texts()
}

// nearestNames returns the names that are most like one that is not among them, such as
// that of a cache or a section, the best first.
func nearestNames(wanted string, names []string) []string {
	l := nearestList{wanted: nameOf(wanted)}
	for _, name := range names {
		l.add(name, name)
	}
	return l.texts()
}

// A nearestList holds the names that are most like a wanted one: by the last part of the
// path, then by the directories, then by the text that is printed for them.
type nearestList struct {
	wanted splitName
	best   []nearName
}

type nearName struct {
	likeness
	text string
}

// add adds a name, for which text is printed, if it is among the best.
func (l *nearestList) add(name, text string) {
	most := math.MaxInt
	if len(l.best) == mostNearest {
		most = l.best[mostNearest-1].edits
	}
	like, isLike := l.wanted.compare(nameOf(name), most)
	if !isLike {
		return
	}
	n := nearName{like, text}
	at, _ := slices.BinarySearchFunc(l.best, n, func(a, b nearName) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.parents, b.parents), cmp.Compare(a.text, b.text))
	})
	l.best = slices.Insert(l.best, at, n)
	l.best = l.best[:min(len(l.best), mostNearest)]
}

func (l *nearestList) texts() (texts []string) {
	for _, n := range l.best {
		texts = append(texts, n.text)
	}
	return texts
}

// A splitName is a name in lower case: that of a page, a section or a cache.
type splitName struct{ dir, base string }

// nameOf splits a path. The page that introduces a directory counts as that directory
// with an extension: both often stand for each other.
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

// A likeness orders names by how much they are like another; less is better.
type likeness struct {
	edits   int // from one last part to the other
	parents int // that only one of them has
}

// compare returns how much two names are like each other, if they are and have no more
// than a number of edits. Their last parts must be a few edits apart, or one must begin
// with the other.
func (w splitName) compare(n splitName, most int) (l likeness, isLike bool) {
	const leastPrefix = 3
	short := min(len(w.base), len(n.base))
	few := 1 + short/4
	switch l.edits = words.Distance(w.base, n.base, min(few, most)); {
	case l.edits <= min(few, most):
	case few >= most || short < leastPrefix || w.base[:short] != n.base[:short]:
		return l, false
	}
	l.parents = parentsApart(w.dir, n.dir)
	return l, true
}

// parentsApart returns how many directories only one of two paths has.
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
