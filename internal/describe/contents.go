package describe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// contents describes a directory by the kinds of its files: source text, tests
// and others. It names their declarations, or the files if they have none.
func contents(dir string, names, exports []string) string {
	if len(names) == 0 {
		return "Directory without files of its own."
	}
	list := ": " + listed(names, maxListed)
	if len(exports) > 0 {
		list = "; declares " + listed(exports, maxListed)
	}
	return kindsOf(count(names, holdsTests(dir))) + strings.TrimSuffix(list, ": ") + "."
}

// kindsOf counts the files by kind: "Go source (2 files), 1 JSON file".
func kindsOf(counts []tally, unknown int) string {
	var parts []string
	switch {
	case len(counts) == 0:
		return filesOf(unknown)
	case counts[0].class == programming:
		parts, counts = lead(counts[0]), counts[1:]
	}
	if rest := others(counts, unknown); rest != "" {
		parts = append(parts, rest)
	}
	return strings.Join(parts, ", ")
}

// maxListed is the most characters of the names in a summary.
const maxListed = 160

// holdsTests reports whether all source text of a directory is for tests, by its
// name or that of one above it.
func holdsTests(dir string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(dir), "/"), func(name string) bool {
		return slices.Contains([]string{"test", "tests", "_test", "__tests__", "testdata", "spec", "specs", "e2e", "fixtures"}, name)
	})
}

// A tally counts the files of a kind, and the tests among them.
type tally struct {
	kind
	files int
	tests int
}

// count returns the kinds of the files, source text first and then the most
// frequent first, and the number of files of no known kind.
func count(names []string, allTests bool) (counts []tally, unknown int) {
	for _, name := range names {
		k, known := kinds[extensionOf(name)]
		if !known {
			unknown++
			continue
		}
		i := slices.IndexFunc(counts, func(t tally) bool { return t.kind == k })
		if i < 0 {
			i = len(counts)
			counts = append(counts, tally{kind: k})
		}
		counts[i].files++
		if k.class == programming && (allTests || isTest(name)) {
			counts[i].tests++
		}
	}
	slices.SortFunc(counts, func(a, b tally) int {
		return cmp.Or(
			cmp.Compare(min(a.class, markup), min(b.class, markup)),
			cmp.Compare(b.files, a.files),
			strings.Compare(a.name, b.name),
		)
	})
	return counts, unknown
}

// lead counts the files of the main kind of source text, and its tests.
func lead(t tally) (parts []string) {
	if source := t.files - t.tests; source > 0 {
		parts = append(parts, fmt.Sprintf("%s source (%s)", t.name, filesOf(source)))
	}
	if t.tests > 0 {
		parts = append(parts, fmt.Sprintf("%s tests (%s)", t.name, filesOf(t.tests)))
	}
	return parts
}

// maxKinds is the most kinds of files that are counted one by one.
const maxKinds = 4

// others counts all files but the ones of the main kind of source text: "2 JSON
// and 1 YAML file".
func others(counts []tally, unknown int) string {
	var parts []string
	last := 0
	for i, t := range counts {
		if i >= maxKinds {
			unknown += t.files
			continue
		}
		parts = append(parts, fmt.Sprintf("%d %s", t.files, t.name))
		last = t.files
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d other", unknown))
		last = unknown
	}
	switch {
	case len(parts) == 0:
		return ""
	case last == 1:
		return enumeration(parts) + " file"
	}
	return enumeration(parts) + " files"
}

func enumeration(parts []string) string {
	last := len(parts) - 1
	if last <= 0 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func filesOf(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
