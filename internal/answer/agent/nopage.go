package agent

import (
	"context"
	"fmt"
	"maps"
	slashpath "path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

// This file says why a filter leaves no page, and what exists instead.

// noPages returns the error for a filter that leaves no page.
func noPages(ctx context.Context, members []answers.Member, within selection.Filter) error {
	why, err := whyNoPage(ctx, members, within)
	if err != nil {
		return err
	}
	return argumentErrorf("%s", why)
}

// whyNoPage returns why a filter leaves no page. It names the first path or field that no page has,
// with paths, keys or values that exist.
func whyNoPage(ctx context.Context, members []answers.Member, within selection.Filter) (string, error) {
	names, them := argumentsOf(within)
	if names == "" || len(members) == 0 {
		return "there are no pages", nil
	}
	for _, path := range within.Paths {
		if strings.HasPrefix(path, "!") {
			continue
		}
		isAny, err := answers.Allows(ctx, members, selection.Filter{Paths: []string{path}})
		if err != nil {
			return "", err
		}
		if !isAny {
			return fmt.Sprintf("no page has the path %s: %s; a path looks like guide/, guide/install.md or *.md", quote(path), existingPaths(members, path)), nil
		}
	}
	for _, where := range within.Where {
		if why, err := whyNoField(ctx, members, where); err != nil || why != "" {
			return why, err
		}
	}
	return fmt.Sprintf("no page matches this %s: leave %s out, or change %[2]s", names, them), nil
}

const mostExisting = 8 // paths, keys or values

// existingPaths lists the pages and directories most similar to a path, or the highest directories.
func existingPaths(members []answers.Member, path string) string {
	wanted := strings.Trim(path, "./*")
	near := nearest(members, "", document.IDOf(wanted))
	dirs, tops := map[string]bool{}, map[string]bool{}
	for _, of := range members {
		ids, _ := of.Documents() // errors were reported before
		for _, id := range ids {
			for dir := slashpath.Dir(string(id)); dir != "." && !dirs[dir]; dir = slashpath.Dir(dir) {
				dirs[dir] = true
			}
			top, _, isDir := strings.Cut(string(id), "/")
			if isDir {
				top += "/"
			}
			tops[top] = true
		}
	}
	for _, dir := range nearestNames(wanted, slices.Sorted(maps.Keys(dirs))) {
		near = append(near, dir+"/")
	}
	if len(near) > 0 {
		return "nearest: " + listExisting(near)
	}
	return "there are " + listExisting(slices.Sorted(maps.Keys(tops)))
}

// whyNoField returns why no page has a field, or "" if some page has it.
func whyNoField(ctx context.Context, members []answers.Member, where string) (string, error) {
	wantedKey, wantedValue, isNot := answers.CutField(where)
	allKeys, allValues := map[string]bool{}, map[string]bool{}
	withField, all := 0, 0 // pages
	for _, of := range members {
		pages, _, err := of.Size()
		if err != nil {
			return "", err
		}
		all += pages
		err = of.EachField(ctx, func(field string, pages int) error {
			key, value, _ := strings.Cut(field, "=")
			allKeys[key] = true
			if key == wantedKey {
				allValues[value] = true
			}
			if key == wantedKey && value == wantedValue {
				withField += pages
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	keys, values := slices.Sorted(maps.Keys(allKeys)), slices.Sorted(maps.Keys(allValues))
	switch {
	case isNot && withField == all:
		return fmt.Sprintf("every page has %s", quote(wantedKey+"="+wantedValue)), nil
	case isNot || withField > 0:
		return "", nil
	case len(keys) == 0:
		return "no page has front matter, so leave where out", nil
	case len(values) == 0:
		return fmt.Sprintf("no page has the key %s: there are %s", quote(wantedKey), listExisting(nearestFirst(wantedKey, keys))), nil
	}
	values = nearestFirst(wantedValue, values)
	for i, value := range values[:min(len(values), mostExisting)] {
		if strings.Contains(value, ",") { // it is a list itself
			values[i] = quote(value)
		}
	}
	return fmt.Sprintf("no page has %s: values of %s are %s", quote(wantedKey+"="+wantedValue), quote(wantedKey), listExisting(values)), nil
}

// nearestFirst sorts names similar to a wanted name to the front.
func nearestFirst(wanted string, names []string) []string {
	near := nearestNames(wanted, names)
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(near, name) })
	return append(near, others...)
}

func listExisting(names []string) string {
	names = slices.Clone(names)
	for i, name := range names[:min(len(names), mostExisting)] {
		names[i] = clipMiddle(words.Printable(name), longestPath/4)
	}
	return few(names, mostExisting, "other")
}
