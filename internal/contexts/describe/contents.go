package describe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxListed bounds the characters of the names in a summary.
const maxListed = 160

// contents describes a directory by the kinds of its files, source text first, and
// by their declarations. If they declare nothing, it lists the files instead.
func contents(dir string, names, exports []string) string {
	if len(names) == 0 {
		return "Directory without files of its own."
	}
	list := ": " + listed(names, maxListed)
	if len(exports) > 0 {
		list = "; declares " + listed(exports, maxListed)
	}
	return kindsOf(names, holdsTests(dir)) + strings.TrimSuffix(list, ": ") + "."
}

// holdsTests reports whether all source text of a directory should be for tests,
// because it or a directory above it is named so.
func holdsTests(dir string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(dir), "/"), func(name string) bool {
		return slices.Contains([]string{"test", "tests", "_test", "__tests__", "testdata", "spec", "specs", "e2e", "fixtures"}, name)
	})
}

// maxKinds bounds how many kinds of files are counted separately.
const maxKinds = 5

// kindsOf counts files by their kinds, such as "Go source (2 files), Go tests (1 file), other
// (3 files)": source text first, then the most frequent kinds.
func kindsOf(names []string, allTests bool) string {
	counts := map[fileKind]int{}
	rest := len(names)
	for _, name := range names {
		k, known := kinds()[extensionOf(name)]
		if !known {
			continue
		}
		switch {
		case k.class > headers:
			k.class = markup
		case allTests || isTest(name):
			k.class, k.name = headers, k.name+" tests"
		default:
			k.class, k.name = programming, k.name+" source"
		}
		counts[k]++
	}
	order := slices.SortedFunc(maps.Keys(counts), func(a, b fileKind) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(counts[b], counts[a]), strings.Compare(a.name, b.name))
	})
	var parts []string
	for _, k := range order[:min(len(order), maxKinds)] {
		parts = append(parts, k.name+" ("+filesOf(counts[k])+")")
		rest -= counts[k]
	}
	switch {
	case len(parts) == 0:
		return filesOf(rest)
	case rest > 0:
		parts = append(parts, "other ("+filesOf(rest)+")")
	}
	return strings.Join(parts, ", ")
}

func filesOf(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}

// enumeration returns "A, B and C".
func enumeration(parts []string) string {
	last := len(parts) - 1
	if last <= 0 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
