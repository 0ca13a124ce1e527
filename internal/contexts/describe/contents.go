package describe

import (
	"cmp"
	"fmt"
	"slices"
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
	return kindsOf(tallies(names, holdsTests(dir))) + strings.TrimSuffix(list, ": ") + "."
}

// holdsTests reports whether all source text of a directory should be for tests,
// because it or a directory above it is named so.
func holdsTests(dir string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(dir), "/"), func(name string) bool {
		return slices.Contains([]string{"test", "tests", "_test", "__tests__", "testdata", "spec", "specs", "e2e", "fixtures"}, name)
	})
}

// A kindCount counts the files of a kind, and the tests among them.
type kindCount struct {
	fileKind
	files int
	tests int
}

// tallies counts the files of known kinds and of other kinds. Source text comes
// first, then the most frequent kind.
func tallies(names []string, allTests bool) (found []kindCount, unknown int) {
	for _, name := range names {
		k, known := kinds()[extensionOf(name)]
		if !known {
			unknown++
			continue
		}
		if k.class == headers {
			k.class = programming
		}
		i := slices.IndexFunc(found, func(t kindCount) bool { return t.fileKind == k })
		if i < 0 {
			i = len(found)
			found = append(found, kindCount{fileKind: k})
		}
		found[i].files++
		if k.class == programming && (allTests || isTest(name)) {
			found[i].tests++
		}
	}
	slices.SortFunc(found, func(a, b kindCount) int {
		return cmp.Or(
			cmp.Compare(min(a.class, markup), min(b.class, markup)),
			cmp.Compare(b.files, a.files),
			strings.Compare(a.name, b.name),
		)
	})
	return found, unknown
}

// maxKinds bounds how many kinds, apart from source text, are counted separately.
const maxKinds = 4

// kindsOf returns text such as "Go source (2 files), 2 JSON and 1 YAML file".
func kindsOf(found []kindCount, unknown int) string {
	if len(found) == 0 {
		return filesOf(unknown)
	}
	var parts, others []string
	if found[0].class == programming {
		parts, found = lead(found[0]), found[1:]
	}
	last := 0
	for i, t := range found {
		if i >= maxKinds {
			unknown += t.files
			continue
		}
		others, last = append(others, fmt.Sprintf("%d %s", t.files, t.name)), t.files
	}
	if unknown > 0 {
		others, last = append(others, fmt.Sprintf("%d other", unknown)), unknown
	}
	if len(others) > 0 {
		parts = append(parts, enumeration(others)+" "+plural(last))
	}
	return strings.Join(parts, ", ")
}

func lead(t kindCount) (parts []string) {
	if source := t.files - t.tests; source > 0 {
		parts = append(parts, fmt.Sprintf("%s source (%s)", t.name, filesOf(source)))
	}
	if t.tests > 0 {
		parts = append(parts, fmt.Sprintf("%s tests (%s)", t.name, filesOf(t.tests)))
	}
	return parts
}

// enumeration returns "A, B and C".
func enumeration(parts []string) string {
	last := len(parts) - 1
	if last <= 0 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func filesOf(n int) string { return fmt.Sprintf("%d %s", n, plural(n)) }

func plural(n int) string {
	if n == 1 {
		return "file"
	}
	return "files"
}
