package deps

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// sharedNames are the names, in lower case, that types of several packages may have,
// because they are the same idea in each.
var sharedNames = []string{}

// One word has one meaning: a reader who meets the name of a type in one package can rely
// on it in the next. Case does not count, so that draft and Draft are one word. Generators
// share no code with the product, so they name things as they like.
func TestTypeNamesAreUnique(t *testing.T) {
	homes := map[string][]string{}
	for _, f := range parseFiles(t, false) {
		if strings.HasSuffix(f.pkg, "/gen") || strings.HasPrefix(f.pkg, "bench") {
			continue
		}
		for _, declaration := range f.ast.Decls {
			types, ok := declaration.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range types.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
					word := strings.ToLower(spec.Name.Name)
					if !slices.Contains(homes[word], f.pkg) { // files for several systems declare a type twice
						homes[word] = append(homes[word], f.pkg)
					}
				}
			}
		}
	}
	if len(homes) < 300 {
		t.Fatalf("only %d types were found", len(homes))
	}
	for word, packages := range homes {
		if len(packages) > 1 && !slices.Contains(sharedNames, word) {
			t.Errorf("%s names types of %s: rename all but one after what they are", word, strings.Join(packages, ", "))
		}
	}
	for _, word := range sharedNames {
		if len(homes[word]) < 2 {
			t.Errorf("%s is listed in sharedNames, but names no types of several packages", word)
		}
	}
}
