package describe

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// contextFile is where a description is kept. It must not describe itself.
const contextFile = ".context.yaml"

// contents describes a directory by the kinds of its files: the source text,
// what is tested, and how many others there are.
func contents(dir string, names []string) string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == contextFile })
	if len(names) == 0 {
		return "Directory without files of its own."
	}
	counts, unknown := count(names, holdsTests(dir))
	if len(counts) == 0 {
		return listed(names)
	}
	var parts []string
	if counts[0].class == programming {
		parts, counts = lead(counts[0]), counts[1:]
	}
	if rest := others(counts, unknown); rest != "" {
		parts = append(parts, rest)
	}
	return strings.Join(parts, ", ") + "."
}

// maxListed is the most files that are told by their names.
const maxListed = 3

// listed tells what files there are of which no kind is known.
func listed(names []string) string {
	if len(names) > maxListed {
		return filesOf(len(names)) + ", such as " + enumeration(names[:maxListed]) + "."
	}
	return "Files: " + enumeration(names) + "."
}

// holdsTests reports whether all source text of a directory is for tests, by
// the directory's name.
func holdsTests(dir string) bool {
	switch strings.ToLower(path.Base(dir)) {
	case "test", "tests", "__tests__", "spec", "specs", "e2e":
		return true
	}
	return false
}

// A tally counts the files of a kind, and those of them that are tests.
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

// lead says what the source text is that the directory is about.
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

// others counts the files that are no source text, or less of it: "2 JSON and
// 1 YAML file".
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
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

func filesOf(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
