package describe

import (
	"cmp"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// readGo reads a Go file as far as it can be parsed. It ignores a file that is
// never built together with the package.
func readGo(stem, text string) (u sourceDocs) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || file.Name.Name == "_" || ignored().MatchString("\n"+text) {
		return u
	}
	if file.Doc != nil && !generated().MatchString(file.Doc.Text()) {
		u.ofPackage = synopsis(file.Doc)
	}
	u.ofFile = goFileDoc(file)
	declared, docs := u.goDeclarations(file, text)
	u.add(stem, declared, func(d declaration) string { return synopsis(docs[d.name]) })
	if file.Name.Name == "main" { // other files cannot import it
		u.private = append(append(u.exported, u.values...), u.private...)
		u.exported, u.values = nil, nil
	}
	return u
}

// ignored is the constraint of a file only built by its name.
var ignored = lazy.Regexp(`\n//go:build ignore(?: &&|\n)`)

func synopsis(comment *ast.CommentGroup) string {
	text := comment.Text()
	said := new(doc.Package).Synopsis(text[:min(len(text), maxComment)])
	if before, announces := strings.CutSuffix(said, ":"); announces {
		said = before + "."
	}
	return sentence(said)
}

// generated is the comment of a file written by a program.
var generated = lazy.Regexp(`(?i)^(?:package \w+ )?(?:code |auto-?)generated .*do not edit`)

// docLink is a link to a symbol, or to an address given elsewhere.
var docLink = lazy.Regexp(`(^|[\s("])\[([^\[\]]+)\]($|[\s).,:;'"])`)

// ofThisFile matches the beginning of a comment about a file.
var ofThisFile = lazy.Regexp(`(?i)^(?:this (?:source )?file|file \w+\.go|\w+\.go) \w+`)

// goFileDoc returns the first sentence of the first comment about the file. Only
// imports may be declared before the comment.
func goFileDoc(file *ast.File) string {
	end := file.End()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			end = d.Pos()
			break
		}
	}
	for _, comment := range file.Comments {
		if comment.Pos() < end && ofThisFile().MatchString(comment.Text()) {
			return synopsis(comment)
		}
	}
	return ""
}

// goDeclarations returns the functions and types of a file with their docs. It adds
// the exported constants, variables and methods to u.
func (u *sourceDocs) goDeclarations(file *ast.File, text string) (declared []declaration, docs map[string]*ast.CommentGroup) {
	docs = map[string]*ast.CommentGroup{}
	add := func(name string, doc *ast.CommentGroup) {
		declared = append(declared, declaration{name: name, exported: ast.IsExported(name)})
		docs[name] = doc
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			switch name := d.Name.Name; {
			case d.Recv == nil && name != "init" && name != "_":
				add(name, d.Doc)
			case d.Recv.NumFields() > 0 && ast.IsExported(name):
				receiver := text[d.Recv.List[0].Type.Pos()-file.FileStart:]
				u.private = append(u.private, group(receiverName(), receiver)+"."+name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name.Name, cmp.Or(spec.Doc, d.Doc))
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.IsExported() {
							u.values = append(u.values, name.Name)
						}
					}
				}
			}
		}
	}
	return declared, docs
}

var receiverName = lazy.Regexp(`^[*(\s]*(\w+)`)
