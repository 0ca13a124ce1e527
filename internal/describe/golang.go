package describe

import (
	"go/ast"
	"go/build/constraint"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
)

// maxComment is the most bytes of a package comment of which the first
// sentence is taken.
const maxComment = 16 << 10

// goSummary returns the first sentence of the package comment.
func goSummary(fsys fs.FS, names []string) string {
	return firstOf(sources(names, []string{".go"}, "doc"), func(name string) string {
		return goSynopsis(readHead(fsys, name))
	})
}

// goSynopsis returns the first sentence of the package comment in a Go file. A
// file that is never built with the package does not speak for it.
func goSynopsis(text string) string {
	const mode = parser.PackageClauseOnly | parser.ParseComments
	file, err := parser.ParseFile(token.NewFileSet(), "", text, mode)
	if err != nil || file.Doc == nil || isIgnored(file) {
		return ""
	}
	comment := file.Doc.Text()
	synopsis := new(doc.Package).Synopsis(comment[:min(len(comment), maxComment)])
	if !hasWords(synopsis) || generated.MatchString(comment) {
		return ""
	}
	if before, announces := strings.CutSuffix(synopsis, ":"); announces {
		synopsis = before + "."
	}
	return docLink.ReplaceAllString(synopsis, "$1$2$3")
}

// generated is what the comment of a file says that a program wrote.
var generated = regexp.MustCompile(`(?i)^(?:package \w+ )?(?:code |auto-?)generated .*do not edit`)

// docLink is a link to a symbol or to an address that is given elsewhere.
var docLink = regexp.MustCompile(`(^|[\s("])\[([^\[\]]+)\]($|[\s).,:;'"])`)

// isIgnored reports whether a file is built only when it is named.
func isIgnored(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !constraint.IsGoBuild(comment.Text) {
				continue
			}
			expression, err := constraint.Parse(comment.Text)
			if err == nil && !expression.Eval(func(tag string) bool { return tag != "ignore" }) {
				return true
			}
		}
	}
	return false
}
