package convert

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/scanner"
	gotoken "go/token"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxDeclarations is the most declarations of a Go package, because each takes a few
// microseconds. Generated bindings of an operating system can contain 30,000.
const maxDeclarations = 200_000

// A goPage is the documentation of a Go package as Markdown. Each function, method and type
// becomes a section, and so do all constants and all variables.
type goPage struct {
	*markdownWriter
	files *gotoken.FileSet
	pkg   *doc.Package
}

// convertGo converts a Go package to what go doc shows: the comments and the declarations of
// everything that it exports, and its examples. Generated files count as well, because they can
// contain the whole API of a package. Of a command, only the comment counts.
func convertGo(ctx context.Context, content []byte) (Converted, error) {
	all, err := readGoFiles(content)
	if err != nil {
		return Converted{}, err
	}
	files := gotoken.NewFileSet()
	parsed, err := parseGo(ctx, files, all.files)
	if err != nil {
		return Converted{}, err
	}
	pkg, err := doc.NewFromFiles(files, parsed, all.importPath)
	if err != nil {
		return Converted{}, err
	}
	p := &goPage{&markdownWriter{ctx: ctx, anchors: map[string]bool{}}, files, pkg}
	return p.page()
}

// parseGo parses the files of a single package and its tests.
func parseGo(ctx context.Context, set *gotoken.FileSet, files []goFile) (parsed []*ast.File, err error) {
	name, count, isKnown := "", 0, map[string]bool{}
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !utf8.Valid(file.content) {
			return nil, fmt.Errorf("%s is not valid UTF-8", file.name)
		}
		tree, err := parser.ParseFile(set, file.name, file.content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, syntaxError(err)
		}
		isTest := strings.HasSuffix(file.name, "_test.go")
		if !isTest {
			dropRepeated(tree, file.content, isKnown)
		}
		if count += declarations(tree, isTest); count > maxDeclarations {
			return nil, fmt.Errorf("more than %d declarations", maxDeclarations)
		}
		parsed = append(parsed, tree)
		switch {
		case isTest:
		case name == "":
			name = tree.Name.Name
		case name != tree.Name.Name:
			return nil, skip("the directory contains the packages %s and %s", name, tree.Name.Name)
		}
	}
	if name == "" {
		return nil, skip("the directory contains only tests")
	}
	return parsed, nil
}

// dropRepeated drops the functions and types that an earlier file declares, too, as files of
// several platforms do. Otherwise, go/doc would choose one at random.
func dropRepeated(file *ast.File, content []byte, isKnown map[string]bool) {
	isRepeated := func(name string) bool {
		defer func() { isKnown[name] = true }()
		return isKnown[name]
	}
	file.Decls = slices.DeleteFunc(file.Decls, func(declaration ast.Decl) bool {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			receiver := ""
			if d.Recv.NumFields() > 0 {
				of := d.Recv.List[0].Type
				receiver = strings.TrimLeft(string(content[of.Pos()-file.FileStart:of.End()-file.FileStart]), "* ")
			}
			return isRepeated(receiver + "." + d.Name.Name)
		case *ast.GenDecl:
			if d.Tok == gotoken.TYPE {
				d.Specs = slices.DeleteFunc(d.Specs, func(s ast.Spec) bool { return isRepeated(s.(*ast.TypeSpec).Name.Name) })
				return len(d.Specs) == 0
			}
		}
		return false
	})
}

// syntaxError returns the first error of a file, which doesn't end with the number of others.
func syntaxError(err error) error {
	if list, ok := err.(scanner.ErrorList); ok && len(list) > 0 {
		err = list[0]
	}
	return err
}

// maxGoValue is the most bytes of the value of a variable or a constant. Larger values are tables.
const maxGoValue = 2 << 10

// declarations counts the declarations of a file. Except for tests, whose examples are printed, it
// drops the bodies of functions, which take most of the memory, and writes "..." instead of large
// values.
func declarations(file *ast.File, isTest bool) (count int) {
	for _, declaration := range file.Decls {
		count++
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if !isTest {
				d.Body = nil
			}
		case *ast.GenDecl:
			count += len(d.Specs)
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.ValueSpec); ok && !isTest {
					shortenValues(s)
				}
			}
		}
	}
	return count
}

func shortenValues(spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		if value.End()-value.Pos() > maxGoValue {
			spec.Values[i] = &ast.Ident{Name: "...", NamePos: value.Pos()}
		}
	}
}

func (p *goPage) page() (Converted, error) {
	pkg := p.pkg
	isCommand := pkg.Name == "main"
	isEmpty := isCommand || len(pkg.Consts)+len(pkg.Vars)+len(pkg.Funcs)+len(pkg.Types) == 0
	switch {
	case isEmpty && pkg.Doc == "" && isCommand:
		return Converted{}, skip("the command has no documentation")
	case isEmpty && pkg.Doc == "":
		return Converted{}, skip("the package exports nothing")
	case isCommand:
		p.title(1, "command "+cmp.Or(pkg.ImportPath, pkg.Name))
	default:
		p.title(1, "package "+pkg.Name)
		if pkg.ImportPath != "" {
			p.fence(fmt.Sprintf("import %q", pkg.ImportPath), "go")
		}
	}
	p.comment(pkg.Doc, 2)
	if !isCommand {
		p.examples(pkg.Examples)
		p.values(2, "Constants", pkg.Consts)
		p.values(2, "Variables", pkg.Vars)
		p.functions(2, pkg.Funcs)
		p.types(pkg.Types)
	}
	about := ""
	if longestWord(pkg.Doc) <= maxWord {
		about = fold(pkg.Synopsis(pkg.Doc))
	}
	return p.converted("", map[string]string{"language": "go", "description": about})
}

func (p *goPage) title(level int, text string) {
	p.flush()
	p.line.write(text)
	p.endHeading(level, "")
}

func (p *goPage) values(level int, title string, values []*doc.Value) {
	if len(values) == 0 {
		return
	}
	if title != "" {
		p.title(level, title)
	}
	for _, value := range values {
		if p.ended() {
			return
		}
		p.declaration(value.Decl)
		p.comment(value.Doc, level+1)
	}
}

func (p *goPage) functions(level int, functions []*doc.Func) {
	for _, f := range functions {
		if p.ended() {
			return
		}
		name := f.Name
		if f.Recv != "" {
			receiver, _, _ := strings.Cut(strings.TrimPrefix(f.Orig, "*"), "[") // without type parameters
			name = receiver + "." + name
		}
		p.title(level, "func "+name)
		p.declaration(f.Decl)
		p.comment(f.Doc, level+1)
		p.examples(f.Examples)
	}
}

func (p *goPage) types(types []*doc.Type) {
	for _, t := range types {
		if p.ended() {
			return
		}
		p.title(2, "type "+t.Name)
		p.declaration(t.Decl)
		p.comment(t.Doc, 3)
		p.values(3, "", t.Consts)
		p.values(3, "", t.Vars)
		p.examples(t.Examples)
		p.functions(3, t.Funcs)
		p.functions(3, t.Methods)
	}
}

func (p *goPage) declaration(node ast.Node) { p.fence(p.print(node, nil), "go") }

// maxSyntax is the most nodes of a syntax tree on the way to a leaf. The time to print a tree
// grows with its size times its depth.
const maxSyntax = 100

// maxPrinted is the most bytes of a declaration to print, because the printer needs many times
// the memory.
const maxPrinted = 512 << 10

// print returns a node as gofmt would write it.
func (p *goPage) print(node ast.Node, comments []*ast.CommentGroup) string {
	switch size := int(node.End() - node.Pos()); {
	case size > maxPrinted:
		return fmt.Sprintf("// Left out: a declaration of %d bytes.", size)
	case depthOf(node) > maxSyntax:
		return fmt.Sprintf("// Left out: its syntax is nested deeper than %d levels.", maxSyntax)
	}
	var out bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	var printed any = node
	if comments != nil {
		printed = &printer.CommentedNode{Node: node, Comments: comments}
	}
	if err := config.Fprint(&out, p.files, printed); err != nil && p.err == nil {
		p.err = fmt.Errorf("print a declaration: %w", err)
	}
	return strings.Trim(cleanCode(out.String()), "\n")
}

func depthOf(node ast.Node) (deepest int) {
	depth := 0
	ast.Inspect(node, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		depth++
		deepest = max(deepest, depth)
		return true
	})
	return deepest
}

// examples writes examples below the text of what they show, so they stay in its section.
func (p *goPage) examples(examples []*doc.Example) {
	for _, example := range examples {
		if p.ended() {
			return
		}
		code := p.print(example.Code, example.Comments)
		if inner, isBlock := strings.CutPrefix(code, "{"); isBlock {
			code = unindent(withoutOutput(strings.TrimSuffix(inner, "}")))
		}
		if code == "" {
			continue
		}
		title := "Example"
		if example.Suffix != "" {
			title += " (" + example.Suffix + ")"
		}
		p.say(title)
		p.comment(example.Doc, 0)
		p.fence(code, "go")
		if output := strings.Trim(cleanCode(example.Output), "\n"); output != "" {
			p.say("Output")
			p.fence(output, "text")
		}
	}
}

// say introduces the next block with a word in bold type.
func (p *goPage) say(word string) {
	p.line.wrap("**", word, ":**")
	p.flush()
}

// withoutOutput removes the comment with the output from the end of an example.
func withoutOutput(code string) string {
	at := strings.LastIndex(code, "\n\t// ")
	for end := len(code); at >= 0; at, end = strings.LastIndex(code[:at], "\n\t// "), at {
		text := strings.ToLower(code[at+len("\n\t// ") : end])
		if strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:") {
			return code[:at]
		}
		if strings.Contains(strings.TrimRight(text, "\n"), "\n") { // code follows the comment
			break
		}
	}
	return code
}

// unindent removes the tab before each line of a block, and blank lines around it.
func unindent(code string) string {
	lines := strings.Split(code, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "\t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
