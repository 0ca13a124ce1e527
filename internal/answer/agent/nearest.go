package agent

import (
	"cmp"
	"math"
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
			l.add(string(id), prefix(of)+string(id))
		}
	}
	return l.texts()
}

// nearestNames returns the names most similar to a wanted name, starting with the best.
func nearestNames(wanted string, names []string) []string {
	l := nearestList{wanted: nameOf(wanted)}
	for _, name := range names {
		l.add(name, name)
	}
	return l.texts()
}

// A nearestList contains the names most similar to a wanted name. It compares the last parts of the
// paths first, then the directories, then the texts printed for the names.
type nearestList struct {
	wanted splitName
	best   []nearName
}

type nearName struct {
	likeness
	text string
}

// add adds a name if it is among the best. Answers print text instead of the name.
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

// A likeness says how similar two names are; smaller is better.
type likeness struct {
	edits   int // between the last parts
	parents int // directories in only one of the two paths
}

// compare returns how similar two names are. They are similar if their last parts differ by a few
// edits, at most most, or if either begins with the other.
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
