// Package deps holds the rules of imports and of determinism, as tests. It has
// no code.
package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/contextcompiler/context/"

// layers lists the packages from the bottom up, with what each may import of
// this module. Imports point down: a package stands below those that import it.
var layers = []struct {
	name    string
	imports []string
}{
	{"internal/modeltest", nil}, // shares no code with the product
	{"internal/words", nil},
	{"internal/words/gen", nil},
	{"internal/wire", nil},
	{"internal/lazy", nil},
	{"internal/yaml12", []string{"internal/lazy", "internal/words"}},
	{"internal/toml", nil},
	{"internal/ignore", nil},
	{"internal/deps", nil},
	{"internal/heap", nil},
	{"internal/recent", nil},
	{"internal/child", nil},
	{"internal/effort", nil},
	{"internal/analysis", []string{"internal/lazy", "internal/words"}},
	{"internal/analysis/gen", nil},
	{"docs", nil},
	{"fault", nil},
	{"internal/pagename", nil},
	{"internal/parallel", []string{"fault"}},
	{"document", []string{"internal/pagename", "internal/words"}},
	{"internal/markdown", []string{"internal/lazy", "document", "internal/analysis", "internal/words"}},
	{"internal/sections", []string{"document", "internal/analysis", "internal/markdown", "internal/pagename", "internal/words"}},
	{"internal/changes", []string{"internal/markdown"}},
	{"internal/instructions", []string{"internal/markdown"}},
	{"internal/convert", []string{"internal/lazy", "internal/markdown", "internal/yaml12"}},
	{"internal/index", []string{"document", "internal/parallel", "internal/recent", "internal/words"}},
	{"internal/files", []string{"fault"}},
	{"internal/replace", []string{"internal/files", "fault"}},
	{"internal/packages", []string{"internal/files", "internal/lazy", "internal/toml", "fault"}},
	{"internal/store", []string{"internal/files", "internal/lazy", "internal/replace", "fault"}},
	{"internal/actions", []string{"internal/files", "internal/ignore", "internal/lazy", "internal/replace", "internal/store", "fault"}},
	{"internal/fetch", []string{"internal/files", "internal/lazy", "internal/replace", "internal/store", "internal/words", "fault"}},
	{"internal/cache", []string{"internal/replace", "internal/files", "internal/index", "document", "fault", "internal/parallel", "internal/wire", "internal/words"}},
	{"selection", []string{"document", "fault", "internal/words"}},
	{"internal/ranking", []string{"selection", "internal/index", "internal/sections", "document", "internal/analysis", "internal/heap", "internal/recent", "internal/words"}},
	{"internal/evaluation", []string{"selection", "document", "internal/pagename", "internal/wire", "internal/lazy"}},
	{"internal/sources", []string{"internal/convert", "internal/files", "internal/ignore", "internal/instructions", "internal/parallel", "document", "fault"}},
	{"stages", []string{"internal/sources", "internal/convert", "internal/sections", "document", "fault", "internal/index", "internal/instructions", "internal/markdown", "internal/parallel", "internal/recent", "internal/toml", "internal/wire", "internal/words", "internal/yaml12"}},
	{"internal/verify", []string{"stages", "internal/cache", "internal/index", "internal/parallel", "document", "fault"}},
	{"internal/registry", []string{"internal/lazy", "internal/verify", "stages", "internal/cache", "internal/index", "internal/store", "internal/files", "internal/parallel", "internal/replace", "internal/wire", "internal/words", "fault"}},
	{"internal/merge", []string{"stages", "internal/convert", "internal/verify", "internal/cache", "internal/sources", "internal/sections", "internal/index", "document", "fault", "internal/words"}},
	{"pipeline", []string{"stages", "selection", "internal/replace", "internal/cache", "internal/parallel", "document", "fault", "internal/sources"}},
	{"internal/answers", []string{"internal/lazy", "stages", "internal/verify", "internal/cache", "internal/heap", "internal/ignore", "internal/index", "internal/parallel", "internal/ranking", "internal/recent", "internal/sections", "internal/wire", "internal/words", "selection", "document", "fault"}},
	{"internal/links", []string{"internal/lazy", "internal/answers", "internal/pagename", "selection", "stages", "document"}},
	{"resolve", []string{"fault", "internal/answers", "selection", "document"}},
	{"internal/agent", []string{"internal/answers", "internal/changes", "internal/parallel", "internal/wire", "stages", "internal/instructions", "internal/markdown", "internal/ranking", "internal/sections", "internal/words", "selection", "document", "fault", "internal/pagename", "internal/lazy"}},
	{"internal/web", []string{"internal/lazy", "internal/agent", "internal/answers", "internal/markdown", "internal/ranking", "internal/wire", "selection", "document"}},
	{"internal/watch", []string{"internal/replace"}},
	{"internal/dotcontext/describe", []string{"internal/lazy", "internal/markdown", "internal/toml"}},
	{"internal/targets", []string{"stages", "internal/parallel", "pipeline", "internal/answers", "internal/evaluation", "selection", "internal/dotcontext/describe", "internal/files", "internal/instructions", "internal/replace", "internal/words", "internal/yaml12", "document", "fault", "internal/watch", "internal/verify", "internal/cache", "internal/sources", "internal/lazy", "internal/packages", "internal/store", "internal/fetch", "internal/links", "internal/convert", "internal/registry", "internal/actions"}},
	{"internal/dotcontext/contextfile", []string{"internal/wire", "internal/yaml12", "internal/lazy", "internal/dotcontext/describe"}},
	{"internal/dotcontext", []string{"internal/dotcontext/contextfile", "internal/files", "internal/dotcontext/describe", "internal/ignore", "internal/parallel", "internal/wire", "fault", "internal/lazy", "internal/yaml12"}},
	{"mcp", []string{"internal/lazy", "internal/web", "internal/agent", "internal/dotcontext", "internal/answers", "selection", "internal/cache", "internal/files", "internal/replace", "fault", "internal/wire"}},
	{"internal/console", []string{"internal/lazy", "pipeline", "internal/words", "internal/agent", "internal/targets", "internal/ranking", "internal/files", "internal/dotcontext", "internal/dotcontext/contextfile", "internal/evaluation", "selection"}},
	{"internal/review", []string{"internal/answers", "internal/console", "internal/evaluation", "internal/links", "internal/targets", "internal/web", "pipeline", "selection", "document"}},
	{"cli", []string{"internal/lazy", "internal/parallel", "mcp", "internal/agent", "internal/console", "internal/targets", "internal/watch", "internal/replace", "internal/files", "internal/dotcontext", "internal/dotcontext/contextfile", "pipeline", "internal/answers", "internal/merge", "internal/verify", "stages", "internal/evaluation", "selection", "internal/cache", "document", "fault", "internal/wire", "internal/words", "docs", "internal/sources", "internal/yaml12", "internal/store", "internal/fetch", "internal/registry", "internal/links", "internal/actions", "internal/review"}},
	{"cmd/context", []string{"cli"}},
	{"cmd/mcp-context-server", []string{"cli"}},
	{"bench/corpus", nil},
	{"bench", nil}, // benchmarks are tests
}

// pure are the packages that touch no disk and no process.
var pure = []string{"internal/index", "internal/dotcontext/contextfile", "internal/dotcontext/describe", "document", "selection", "internal/evaluation", "internal/wire", "internal/yaml12", "internal/toml", "internal/words", "internal/ignore", "internal/heap", "internal/recent", "internal/pagename", "internal/instructions", "internal/markdown", "internal/convert", "internal/analysis", "internal/sections", "internal/changes", "internal/ranking", "internal/lazy"}

// A file is one Go file of the module.
type file struct {
	pkg  string
	path string
	ast  *ast.File
}

// parseFiles parses the files of the module that are tests, or the others.
func parseFiles(t *testing.T, tests bool) []file {
	t.Helper()
	const root = "../.."
	var files []file
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, p)
		name = filepath.ToSlash(name)
		if e.IsDir() && (e.Name() == "testdata" || name == "tools" || name == "bench/programs" || strings.HasPrefix(e.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") != tests {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		files = append(files, file{path.Dir(name), name, parsed})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("only %d files were found", len(files))
	}
	return files
}

func importsOf(f *ast.File) (paths []string) {
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func TestImportsPointDown(t *testing.T) {
	allowed, used := map[string][]string{}, map[[2]string]bool{}
	for _, layer := range layers {
		for _, name := range layer.imports {
			if _, below := allowed[name]; !below {
				t.Errorf("%s may import %s, which does not stand below it", layer.name, name)
			}
		}
		allowed[layer.name] = layer.imports
	}
	for _, f := range parseFiles(t, false) {
		mine, known := allowed[f.pkg]
		if !known {
			t.Errorf("%s: package %s has no layer", f.path, f.pkg)
		}
		for _, p := range importsOf(f.ast) {
			name, ours := strings.CutPrefix(p, module)
			if ours && !slices.Contains(mine, name) {
				t.Errorf("%s: %s must not import %s", f.path, f.pkg, name)
			}
			used[[2]string{f.pkg, name}] = true
		}
	}
	for pkg, names := range allowed {
		for _, name := range names {
			if !used[[2]string{pkg, name}] {
				t.Errorf("%s may import %s, but does not: remove the permission", pkg, name)
			}
		}
	}
}

// rowOfPackages is a row of the table of packages in docs/architecture.md.
var rowOfPackages = regexp.MustCompile("(?m)^\\| `([a-z0-9/-]+)` \\|")

// The table of docs/architecture.md has the packages from the top down.
func TestImportsPointDownTheDocumentedTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Packages\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]int{}
	for i, row := range rowOfPackages.FindAllStringSubmatch(table, -1) {
		rows[row[1]] = i
	}
	if len(rows) < 30 {
		t.Fatalf("only %d rows were found", len(rows))
	}
	for _, f := range parseFiles(t, false) {
		mine, documented := rows[f.pkg]
		if !documented {
			continue
		}
		for _, p := range importsOf(f.ast) {
			name, ours := strings.CutPrefix(p, module)
			if row, documented := rows[name]; ours && (!documented || row <= mine) {
				t.Errorf("%s: %s does not stand below %s in the table of packages", f.path, name, f.pkg)
			}
		}
	}
}

func TestPurePackagesTouchNoDisk(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if !slices.Contains(pure, f.pkg) {
			continue
		}
		for _, p := range importsOf(f.ast) {
			if slices.Contains([]string{"os", "path/filepath", "syscall", "net", "os/exec"}, p) {
				t.Errorf("%s: %s is pure and must not import %s", f.path, f.pkg, p)
			}
		}
	}
}

// Below the front ends nothing reads a clock, a random source or the
// environment.
func TestNothingBelowTheFrontEndsDependsOnTheMachine(t *testing.T) {
	banned := map[string][]string{
		"time": {"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep", "Local"},
		"os": {
			"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Hostname", "Getpid", "UserHomeDir", "Getwd",
			"MkdirTemp", "CreateTemp", "TempDir",
		},
	}
	for _, f := range parseFiles(t, false) {
		if f.pkg == "cli" || f.pkg == "internal/console" || f.pkg == "mcp" || f.pkg == "internal/web" || f.pkg == "internal/watch" || f.pkg == "internal/words/gen" || f.pkg == "internal/child" || f.pkg == "internal/effort" || strings.HasPrefix(f.pkg, "bench/") {
			continue
		}
		for _, p := range importsOf(f.ast) {
			if strings.HasPrefix(p, "math/rand") || p == "crypto/rand" {
				t.Errorf("%s: imports %s", f.path, p)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok && slices.Contains(banned[pkg.Name], s.Sel.Name) {
					t.Errorf("%s: uses %s.%s", f.path, pkg.Name, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// There is one parallel primitive; nobody else starts a goroutine, but for those
// of the server that wait for its input, its calls, its end and its log, the one that
// waits for changes of files, and the one that waits for a credential helper.
func TestOnlyParallelIsConcurrent(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if f.pkg == "internal/parallel" || slices.Contains([]string{"mcp/call.go", "mcp/connection.go", "mcp/server.go", "cli/log.go", "internal/watch/watch.go", "internal/registry/logins.go"}, f.path) {
			continue
		}
		if slices.Contains(importsOf(f.ast), "golang.org/x/sync/errgroup") {
			t.Errorf("%s: imports errgroup", f.path)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: starts a goroutine", f.path)
			}
			return true
		})
	}
}

// namesCommands is a flag or a command in a text.
var namesCommands = regexp.MustCompile("(?:^|[ `(])--[a-z]|`context ")

// Only front ends speak of flags and commands. What is below them serves
// programs and agents too, who have none.
func TestOnlyFrontEndsNameFlags(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if f.path == "internal/fetch/git.go" {
			continue // its flags are those of git
		}
		if top, _, _ := strings.Cut(f.pkg, "/"); f.pkg == "internal/console" || slices.Contains([]string{"cli", "mcp", "bench"}, top) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if ok && literal.Kind == token.STRING && namesCommands.MatchString(literal.Value[1:len(literal.Value)-1]) {
				t.Errorf("%s: names a flag or a command: %s", f.path, literal.Value)
			}
			return true
		})
	}
}

// Generators remember their names when they draw, so tests that run in parallel must not
// share them.
func TestGeneratorsAreMadeInFunctions(t *testing.T) {
	for _, f := range append(parseFiles(t, true), parseFiles(t, false)...) {
		for _, name := range usedAtStart(f) {
			if strings.HasPrefix(name, "rapid.") {
				t.Errorf("%s: a variable of the package holds %s; return it from a function instead", f.path, name)
			}
		}
	}
}

// Every command would pay for what a package compiles at the start of the program.
func TestPatternsAndTemplatesAreCompiledOnFirstUse(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		for _, name := range usedAtStart(f) {
			if name == "regexp.MustCompile" || name == "template.Must" {
				t.Errorf("%s: a variable of the package calls %s; use lazy.Regexp or sync.OnceValue instead", f.path, name)
			}
		}
	}
}

// usedAtStart returns the names from other packages that initialize the variables of a file.
func usedAtStart(f file) (names []string) {
	for _, declaration := range f.ast.Decls {
		if variables, ok := declaration.(*ast.GenDecl); ok && variables.Tok == token.VAR {
			ast.Inspect(variables, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok {
						names = append(names, x.Name+"."+s.Sel.Name)
					}
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
		}
	}
	return names
}
