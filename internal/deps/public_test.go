package deps

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// A program outside this module must be able to name every type that these packages
// mention, so they export types of other packages by aliases.
func TestPublicPackagesNameNoTypesThatCallersCannotName(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if !slices.Contains(public, f.pkg) {
			continue
		}
		hidden := map[string]bool{}
		for _, p := range importsOf(f.ast) {
			if p == module+"stages" || strings.HasPrefix(p, module+"internal/") {
				hidden[path.Base(p)] = true
			}
		}
		for _, declaration := range f.ast.Decls {
			for _, exported := range exportedTypes(declaration) {
				ast.Inspect(exported, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						if pkg, ok := s.X.(*ast.Ident); ok && hidden[pkg.Name] {
							t.Errorf("%s: exports %s.%s, which no other module can import", f.path, pkg.Name, s.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
}

// exportedTypes returns the types in a declaration that callers see. Bodies, unexported
// fields and aliases are not among them.
func exportedTypes(declaration ast.Decl) (types []ast.Node) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() {
			types = append(types, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				if s.Type != nil && s.Names[0].IsExported() {
					types = append(types, s.Type)
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() && !s.Assign.IsValid() {
					types = append(types, visibleIn(s.Type)...)
				}
			}
		}
	}
	return types
}

func visibleIn(declared ast.Expr) (types []ast.Node) {
	structure, ok := declared.(*ast.StructType)
	if !ok {
		return []ast.Node{declared}
	}
	for _, field := range structure.Fields.List {
		if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
			types = append(types, field.Type)
		}
	}
	return types
}
