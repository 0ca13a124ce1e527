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
	var like []nearName
	for _, of := range caches {
		if name != "" && of.Name != name {
			continue
		}
		ids, _ := of.Documents()
		like = append(like, similar(string(id), ids, prefix(of))...)
	}
	return bestNames(like)
}

// nearestNames returns the names most similar to a wanted name, starting with the best.
func nearestNames(wanted string, names []string) []string {
	return bestNames(similar(wanted, names, ""))
}

// A nearName is a name with its differences from the wanted name.
type nearName struct {
	text    string
	edits   int // between the last parts of the paths
	parents int // directories in only one of the two paths
}

// similar returns the similar names: the last parts of the paths differ by a few edits, or either
// begins with the other. Answers print them after a prefix.
func similar[Name ~string](wanted string, names []Name, prefix string) (like []nearName) {
	const leastPrefix = 3
	wantedDir, wantedBase := splitName(wanted)
	for _, name := range names {
		dir, base := splitName(string(name))
		short := min(len(wantedBase), len(base))
		few := 1 + short/4
		edits := words.Distance(wantedBase, base, few)
		if edits <= few || short >= leastPrefix && wantedBase[:short] == base[:short] {
			like = append(like, nearName{prefix + string(name), edits, parentsApart(wantedDir, dir)})
		}
	}
	return like
}

// bestNames returns the most similar names.
func bestNames(like []nearName) (texts []string) {
	slices.SortFunc(like, func(a, b nearName) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.parents, b.parents), cmp.Compare(a.text, b.text))
	})
	for _, n := range like[:min(len(like), mostNearest)] {
		texts = append(texts, n.text)
	}
	return texts
}

// splitName splits the path of a page or context in lower case. It treats the index page of a
// directory as the directory itself, because people often mix them up.
func splitName(name string) (dir, base string) {
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
	return slashpath.Split(name)
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
