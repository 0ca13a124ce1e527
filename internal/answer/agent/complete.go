package agent

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/answer/answers"
)

// A Completion is a text the user may want to type.
type Completion struct {
	Text  string
	About string // description without control characters, or ""
}

const mostCompletions = 200

// CompleteReference returns the references that begin with the typed text: pages, directories with
// a slash at the end, and after the path of a page also its headings. It skips unreadable caches
// and pages, because a shell cannot show errors.
func CompleteReference(ctx context.Context, caches []answers.Member, typed string) []Completion {
	all := completePaths(caches, typed, prefix)
	for _, path := range pathsIn(typed) {
		if path == typed && !slices.Contains(all, Completion{Text: typed}) {
			continue // probably the beginning of a path
		}
		if anchors := completeAnchor(ctx, caches, path, strings.TrimPrefix(typed[len(path):], "#")); len(anchors) > 0 {
			all = append(all, anchors...)
			break
		}
	}
	return all[:min(len(all), mostCompletions)]
}

// CompletePath returns the paths of pages and directories that begin with the typed text, as a
// [selection.Filter] takes them.
func CompletePath(caches []answers.Member, typed string) []Completion {
	return completePaths(caches, typed, func(answers.Member) string { return "" })
}

// CompleteProduct returns the products that begin with the typed text, as [OfProduct] takes them.
func CompleteProduct(caches []answers.Member, typed string) (all []Completion) {
	for _, of := range caches {
		c := Completion{Text: of.About().Product.String()}
		if isPlain(c.Text) && strings.HasPrefix(c.Text, typed) && !slices.Contains(all, c) && len(all) < mostCompletions {
			all = append(all, c)
		}
	}
	return all
}

// completePaths returns the sorted names of pages up to the next slash. Each name begins with the
// prefix of its cache.
func completePaths(caches []answers.Member, typed string, prefix func(answers.Member) string) (all []Completion) {
	var names []string
	for _, of := range caches {
		ids, err := of.Documents()
		if err != nil {
			continue
		}
		found := 0
		for _, id := range ids {
			name := prefix(of) + string(id)
			if !strings.HasPrefix(name, typed) {
				continue
			}
			if next := strings.IndexByte(name[len(typed):], '/'); next >= 0 {
				name = name[:len(typed)+next+1]
			}
			isNew := found == 0 || names[len(names)-1] != name // IDs are sorted
			if isNew && isPlain(name) && found < mostCompletions {
				names = append(names, name)
				found++
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names[:min(len(names), mostCompletions)] {
		all = append(all, Completion{Text: name})
	}
	return all
}

// completeAnchor returns references to those headings of a page whose anchors begin with anchor.
func completeAnchor(ctx context.Context, caches []answers.Member, path, anchor string) (all []Completion) {
	found, err := find(ctx, caches, path)
	if err != nil {
		return nil
	}
	for _, b := range found.blocks {
		text := path + "#" + b.Anchor
		if b.Level > 0 && b.Anchor != "" && strings.HasPrefix(b.Anchor, anchor) && isPlain(text) && len(all) < mostCompletions {
			all = append(all, Completion{text, shortHeading(b.Title)})
		}
	}
	return all
}

// isPlain reports whether a shell takes a name literally. The completion scripts of shells
// evaluate the words of a line, but the authors of documents choose the names, so names such as
// "$(command).md" must not be offered.
func isPlain(name string) bool {
	const others = "/._-+,@%=:#"
	return name != "" && !strings.ContainsAny(name[:1], "-=#") && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(others, r)
	})
}
