package describe

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// A language comes with a reader of its source text.
type language struct {
	extensions []string
	speakers   []string // stems of files with the docs of their directory, best first
	read       func(stem, text string) sourceDocs
}

// languages are in order, because the package docs of the first language describe a
// directory.
var languages = []language{
	{[]string{".go"}, []string{"doc"}, readGo},
	{[]string{".rs"}, []string{"lib", "main", "mod"}, rust.read},
	{[]string{".py"}, []string{"__init__", "__main__"}, python.read},
	{[]string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}, []string{"index", "mod", "main"}, script.read},
}

// sourceDocs contains the docs and the declarations of a source file.
type sourceDocs struct {
	ofPackage string   // docs of the directory, such as Go's package comment
	ofFile    string   // docs of the file
	ofMain    string   // docs of its main declaration
	exported  []string // functions and types for other files
	values    []string // other exports: constants, variables and names of other files
	private   []string // other declared names
}

// A sourceFile is a file of source text.
type sourceFile struct {
	sourceDocs
	name     string
	stem     string // the name up to the first dot
	language *language
}

// sources reads the source text of the directory, file by file in order.
func (r *dirReader) sources() (sources []sourceFile) {
	for _, name := range r.names {
		l := languageOf(name)
		if l == nil || strings.HasPrefix(name, ".") || len(sources) >= maxFiles {
			continue
		}
		text := r.head(name, maxSource)
		s := sourceFile{name: name, language: l}
		s.stem, _, _ = strings.Cut(name, ".")
		s.sourceDocs = attempt(func() sourceDocs { return l.read(s.stem, text) })
		sources = append(sources, s)
	}
	return sources
}

func languageOf(name string) *language {
	for i, l := range languages {
		if slices.Contains(l.extensions, extensionOf(name)) {
			return &languages[i]
		}
	}
	return nil
}

// isApart reports whether a file is not about the subject of its directory, because
// it is a test or configures a tool.
func (s sourceFile) isApart() bool {
	return isTest(s.name) || strings.Contains(s.name, ".config.") || slices.Contains([]string{"setup", "noxfile", "manage", "gulpfile", "build"}, s.stem)
}

// packageSummary returns the docs of the directory from the first suitable source.
func packageSummary(sources []sourceFile) string {
	for i := range languages {
		own := slices.DeleteFunc(slices.Clone(sources), func(s sourceFile) bool { return s.isApart() || s.language != &languages[i] })
		slices.SortStableFunc(own, func(a, b sourceFile) int { return cmp.Compare(a.rank(), b.rank()) })
		for _, s := range own {
			alone := len(own) == 1 || s.rank() < len(s.language.speakers)
			if said := cmp.Or(s.ofPackage, s.ofFile); s.ofPackage != "" || alone && said != "" {
				return said
			}
		}
	}
	return ""
}

func (s sourceFile) rank() int {
	if i := slices.Index(s.language.speakers, s.stem); i >= 0 {
		return i
	}
	return len(s.language.speakers)
}

// exportsOf returns the sorted names declared by sources for others, at most
// limit. If there are more, constants and variables are left out first.
func exportsOf(sources []sourceFile, limit int) []string {
	var names, values []string
	for _, s := range sources {
		if !s.isApart() {
			names = append(names, s.exported...)
			values = append(values, s.values...)
		}
	}
	names = nameList(names)
	values = slices.DeleteFunc(nameList(values), func(value string) bool {
		_, found := slices.BinarySearch(names, value)
		return found
	})
	names = append(names, values...)
	return nameList(names[:min(len(names), limit)])
}

// nameList returns names sorted, without duplicates and without long names.
func nameList(names []string) []string {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return len(name) > maxName })
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *dirReader) files(sources []sourceFile) (files []DescribedFile) {
	purposes := map[string]string{}
	for _, s := range sources {
		purposes[s.name] = s.purpose()
	}
	pages := 0
	for _, name := range r.names {
		if isMarkdown(name) && !strings.HasPrefix(name, ".") && pages+len(sources) < maxFiles {
			pages++
			purposes[name] = r.pagePurpose(name)
		}
		if said := purposes[name]; said != "" && oneLine(name) == name {
			files = append(files, DescribedFile{name, said, testOf(name, r.names)})
		}
	}
	return files
}

// purpose returns the first sentence about a source file. Without docs, it lists
// the declared names instead, unless the file is a test.
func (s sourceFile) purpose() string {
	ofFile, ofPackage := firstSentence(oneLine(s.ofFile)), firstSentence(oneLine(s.ofPackage))
	if s.isApart() {
		return shorten(cmp.Or(ofFile, ofPackage), maxPurpose)
	}
	if said := cmp.Or(ofFile, s.ofMain, ofPackage); said != "" {
		return shorten(said, maxPurpose)
	}
	names := slices.Concat(s.exported, s.values)
	if len(names) == 0 {
		names = s.private
	}
	if list := listed(names, maxPurpose-len("Declares .")); list != "" {
		return "Declares " + list + "."
	}
	return ""
}

// listed returns names once each, such as "A, B and 3 more", until limit characters
// are full.
func listed(names []string, limit int) string {
	var shown []string
	seen := map[string]bool{}
	size := len(" and 1000 more")
	for _, name := range names {
		if seen[name] || utf8.RuneCountInString(name) > maxName {
			continue
		}
		seen[name] = true
		if size += utf8.RuneCountInString(name) + len(", "); size <= limit {
			shown = append(shown, name)
		}
	}
	if more := len(seen) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return enumeration(shown)
}

// testOf returns the file among names with the tests of a source file, according to
// the conventions of its language.
func testOf(name string, names []string) string {
	if languageOf(name) == nil || isTest(name) {
		return ""
	}
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	for _, test := range []string{stem + "_test", "test_" + stem, stem + ".test", stem + ".spec"} {
		if _, found := slices.BinarySearch(names, test+extension); found {
			return test + extension
		}
	}
	return ""
}

// A declaration is a name declared at the top level of a file.
type declaration struct {
	name     string
	at, end  int // where it begins in the text, and where its name ends
	exported bool
}

// add adds declared names to u. It calls describe for the docs of the main
// declaration: the declaration with the name of the file, otherwise the only
// exported declaration.
func (u *sourceDocs) add(stem string, declared []declaration, describe func(declaration) string) {
	for _, d := range declared {
		if d.exported {
			u.exported = append(u.exported, d.name)
		} else {
			u.private = append(u.private, d.name)
		}
	}
	main := slices.IndexFunc(declared, func(d declaration) bool { return letters(d.name) == letters(stem) })
	if main < 0 && len(u.exported) == 1 {
		main = slices.IndexFunc(declared, func(d declaration) bool { return d.exported })
	}
	if main >= 0 {
		u.ofMain = about(declared[main].name, describe(declared[main]))
	}
}

// letters returns a name without case and separators.
func letters(name string) string {
	return strings.ToLower(separators.Replace(name))
}

var separators = strings.NewReplacer("_", "", "-", "")

// about adds the name to docs, unless they contain it.
func about(name, docs string) string {
	docs = firstSentence(oneLine(docs))
	if strings.Contains(strings.ToLower(docs), strings.ToLower(name)) || docs == "" {
		return docs
	}
	return name + ": " + docs
}

// sentence returns the first paragraph of a comment, unless this is a single word
// or about rights.
func sentence(docs string) string {
	docs = docLink().ReplaceAllString(oneLine(docs), "$1$2$3")
	if isLicense(docs) || !hasWords(docs) {
		return ""
	}
	return docs
}

// firstParagraph returns the first paragraph of Markdown in a comment, or its first
// heading if it contains no paragraph.
func firstParagraph(markdown string) string {
	prose, title := describing(passagesOf(markdown))
	return sentence(cmp.Or(prose, title))
}

func isLicense(comment string) bool {
	return containsAny(strings.ToLower(comment[:min(len(comment), 2000)]), rights)
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// rights are words of a notice about rights, in lower case.
var rights = []string{"copyright", "@license", "@preserve", "spdx-license", "licensed under", "all rights reserved"}
