package describe

import (
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
	declared, docs := u.goDeclarations(file)
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
func (u *sourceDocs) goDeclarations(file *ast.File) (declared []declaration, docs map[string]*ast.CommentGroup) {
	docs = map[string]*ast.CommentGroup{}
	add := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		declared = append(declared, declaration{name: name.Name, exported: name.IsExported()})
		for _, c := range comments {
			if c != nil {
				docs[name.Name] = c
			}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" && d.Name.Name != "_" {
				add(d.Name, d.Doc)
			}
			if receiver := receiverOf(d); receiver != "" && d.Name.IsExported() {
				u.private = append(u.private, receiver+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, d.Doc, spec.Doc)
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

// receiverOf returns the receiver's type, or "" unless d is a method.
func receiverOf(d *ast.FuncDecl) (name string) {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	ast.Inspect(d.Recv.List[0].Type, func(node ast.Node) bool {
		if identifier, ok := node.(*ast.Ident); ok && name == "" {
			name = identifier.Name
		}
		return name == ""
	})
	return name
}
