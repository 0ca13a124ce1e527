package deps

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/api.txt")

// public are the packages for Go programs outside the module. Their exported names are a
// promise, so testdata/api.txt lists them: a change of the API has to change the file, too.
var public = []string{"document", "fault", "pipeline", "resolve", "selection"}

// parsePackage parses the files of a package of the module for linux/amd64, without tests.
func parsePackage(t *testing.T, files *token.FileSet, name string) []*ast.File {
	t.Helper()
	dir := filepath.Join("../..", filepath.FromSlash(name))
	linux := build.Default
	linux.GOOS, linux.GOARCH = "linux", "amd64"
	pkg, err := linux.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var parsed []*ast.File
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(dir, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	return parsed
}

// An apiPrinter prints the exported declarations of packages, as go doc does, without
// their comments.
type apiPrinter struct {
	t     *testing.T
	files *token.FileSet
	out   bytes.Buffer
}

func (p *apiPrinter) printNode(node any) {
	p.t.Helper()
	if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&p.out, p.files, node); err != nil {
		p.t.Fatal(err)
	}
	p.out.WriteByte('\n')
}

// printPackage prints one package, and the types of internal packages that it exports
// under another name: their fields and methods belong to its API.
func (p *apiPrinter) printPackage(name string) {
	p.t.Helper()
	pkg := p.packageOf(name)
	fmt.Fprintf(&p.out, "\npackage %s\n\n", name)
	p.printValues(pkg.Consts)
	p.printValues(pkg.Vars)
	p.printFunctions(pkg.Funcs)
	for _, typ := range pkg.Types {
		p.printType(typ)
		if home, original, ok := aliased(p.t, p.packageImports(name), typ); ok {
			for _, internal := range p.packageOf(home).Types {
				if internal.Name == original {
					fmt.Fprintf(&p.out, "// %s is:\n", typ.Name)
					p.printType(internal)
				}
			}
		}
	}
}

func (p *apiPrinter) packageOf(name string) *doc.Package {
	p.t.Helper()
	pkg, err := doc.NewFromFiles(p.files, parsePackage(p.t, p.files, name), module+name)
	if err != nil {
		p.t.Fatal(err)
	}
	return pkg
}

// packageImports maps the names that a package's files import to paths.
func (p *apiPrinter) packageImports(name string) map[string]string {
	p.t.Helper()
	imports := map[string]string{}
	for _, file := range parsePackage(p.t, p.files, name) {
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			imports[importName(spec, path)] = path
		}
	}
	return imports
}

func (p *apiPrinter) printType(typ *doc.Type) {
	p.t.Helper()
	p.printDeclaration(typ.Decl)
	p.printValues(typ.Consts)
	p.printValues(typ.Vars)
	p.printFunctions(typ.Funcs)
	p.printFunctions(typ.Methods)
}

func (p *apiPrinter) printValues(values []*doc.Value) {
	p.t.Helper()
	for _, value := range values {
		p.printDeclaration(value.Decl)
	}
}

func (p *apiPrinter) printFunctions(functions []*doc.Func) {
	p.t.Helper()
	for _, function := range functions {
		function.Decl.Doc, function.Decl.Body = nil, nil
		p.printNode(function.Decl)
	}
}

// printDeclaration prints a declaration without its comments.
func (p *apiPrinter) printDeclaration(declaration *ast.GenDecl) {
	p.t.Helper()
	ast.Inspect(declaration, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
	p.printNode(declaration)
}

func importName(spec *ast.ImportSpec, path string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path[strings.LastIndex(path, "/")+1:]
}

// aliased returns the package and the name of the internal type that typ is an alias of.
func aliased(t *testing.T, imports map[string]string, typ *doc.Type) (home, original string, ok bool) {
	t.Helper()
	spec, ok := typ.Decl.Specs[0].(*ast.TypeSpec)
	if !ok || !spec.Assign.IsValid() {
		return "", "", false
	}
	selector, ok := spec.Type.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	home, ours := strings.CutPrefix(imports[selector.X.(*ast.Ident).Name], module)
	return home, selector.Sel.Name, ours
}

// The exported API changes on purpose only: go test ./internal/deps -update rewrites the
// list, and the diff shows the change.
func TestExportedAPIIsAsListed(t *testing.T) {
	p := &apiPrinter{t: t, files: token.NewFileSet()}
	p.out.WriteString("The exported API, written by go test ./internal/deps -update.\n")
	for _, name := range public {
		p.printPackage(name)
	}
	got := p.out.Bytes()
	if *update {
		if err := os.WriteFile("testdata/api.txt", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(got)); diff != "" {
		t.Errorf("the exported API differs from testdata/api.txt (-listed +declared); if that is on purpose, add -update:\n%s", diff)
	}
}
