// Package deps holds the rules of imports and of determinism, as tests. It has
// no code.
package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/contextcompiler/context/"

// layers lists the packages from the bottom up, with the packages of this module that each may
// import. Imports point down: a package comes before the packages that import it.
var layers = []struct {
	name    string
	imports []string
}{
	{"internal/acquire", nil},  // its documentation
	{"internal/answer", nil},   // its documentation
	{"internal/author", nil},   // its documentation
	{"internal/base", nil},     // its documentation
	{"internal/caches", nil},   // its documentation
	{"internal/contexts", nil}, // its documentation
	{"internal/pages", nil},    // its documentation
	{"internal/project", nil},  // its documentation
	{"internal/base/trees", nil},
	{"internal/base/words", nil},
	{"internal/base/wire", nil},
	{"internal/base/lazy", nil},
	{"internal/base/yaml12", []string{"internal/base/lazy", "internal/base/words"}},
	{"internal/base/toml", nil},
	{"internal/base/ignore", nil},
	{"internal/deps", nil},
	{"internal/base/heap", nil},
	{"internal/base/recent", nil},
	{"internal/base/child", nil},
	{"internal/base/effort", nil},
	{"internal/pages/analysis", []string{"internal/base/lazy", "internal/base/words"}},
	{"docs", nil},
	{"fault", nil},
	{"internal/base/pagename", nil},
	{"internal/base/parallel", []string{"fault"}},
	{"document", []string{"internal/base/pagename", "internal/base/words"}},
	{"internal/pages/markdown", []string{"internal/base/lazy", "document", "internal/pages/analysis", "internal/base/words"}},
	{"internal/pages/sections", []string{"document", "internal/pages/analysis", "internal/pages/markdown", "internal/base/pagename", "internal/base/words"}},
	{"internal/pages/changes", []string{"internal/pages/markdown"}},
	{"internal/pages/instructions", []string{"internal/pages/markdown"}},
	{"internal/pages/convert", []string{"internal/base/lazy", "internal/pages/markdown", "internal/base/yaml12"}},
	{"internal/base/files", []string{"fault"}},
	{"internal/caches/index", []string{"document", "internal/base/files", "internal/base/parallel", "internal/base/recent", "internal/base/words"}},
	{"internal/base/replace", []string{"internal/base/files", "fault"}},
	{"internal/acquire/packages", []string{"internal/base/files", "internal/base/lazy", "internal/base/toml", "internal/base/words", "fault"}},
	{"internal/acquire/store", []string{"internal/base/files", "internal/base/lazy", "internal/base/replace", "fault"}},
	{"internal/acquire/process", nil},
	{"internal/acquire/actions", []string{"internal/acquire/process", "internal/base/files", "internal/base/ignore", "internal/base/lazy", "internal/base/replace", "internal/acquire/store", "fault"}},
	{"internal/acquire/fetch", []string{"internal/acquire/process", "internal/base/files", "internal/base/lazy", "internal/base/replace", "internal/acquire/store", "internal/base/words", "fault"}},
	{"internal/caches/cache", []string{"internal/base/replace", "internal/base/files", "internal/caches/index", "document", "fault", "internal/base/parallel", "internal/base/wire", "internal/base/words"}},
	{"selection", []string{"document", "fault", "internal/base/words"}},
	{"internal/answer/ranking", []string{"selection", "internal/caches/index", "internal/pages/sections", "document", "internal/pages/analysis", "internal/base/heap", "internal/base/recent", "internal/base/words"}},
	{"internal/answer/evaluation", []string{"selection", "document", "internal/base/pagename", "internal/base/wire", "internal/base/lazy"}},
	{"internal/pages/sources", []string{"internal/pages/convert", "internal/base/files", "internal/base/ignore", "internal/pages/instructions", "internal/base/parallel", "document", "fault"}},
	{"stages", []string{"internal/pages/sources", "internal/pages/convert", "internal/pages/sections", "document", "fault", "internal/caches/index", "internal/pages/instructions", "internal/pages/markdown", "internal/base/parallel", "internal/base/recent", "internal/base/toml", "internal/base/wire", "internal/base/words", "internal/base/yaml12"}},
	{"internal/caches/verify", []string{"stages", "internal/caches/cache", "internal/caches/index", "internal/base/parallel", "document", "fault"}},
	{"internal/acquire/registry", []string{"internal/base/lazy", "internal/caches/verify", "internal/caches/cache", "internal/acquire/store", "internal/base/files", "internal/base/parallel", "internal/base/replace", "internal/base/wire", "internal/base/words", "fault"}},
	{"internal/caches/merge", []string{"stages", "internal/pages/convert", "internal/caches/verify", "internal/caches/cache", "internal/pages/sources", "document", "fault"}},
	{"pipeline", []string{"stages", "selection", "internal/base/replace", "internal/caches/cache", "internal/base/parallel", "document", "fault", "internal/pages/sources"}},
	{"internal/answer/answers", []string{"internal/base/lazy", "stages", "internal/caches/verify", "internal/caches/cache", "internal/base/heap", "internal/base/ignore", "internal/caches/index", "internal/base/parallel", "internal/answer/ranking", "internal/base/recent", "internal/pages/sections", "internal/base/wire", "internal/base/words", "selection", "document", "fault"}},
	{"internal/answer/links", []string{"internal/base/lazy", "internal/answer/answers", "internal/base/pagename", "selection", "stages", "document"}},
	{"resolve", []string{"fault", "internal/answer/answers", "selection", "document"}},
	{"internal/answer/agent", []string{"internal/answer/answers", "internal/pages/changes", "internal/base/parallel", "internal/base/wire", "stages", "internal/pages/instructions", "internal/pages/markdown", "internal/answer/ranking", "internal/pages/sections", "internal/base/words", "selection", "document", "fault", "internal/base/pagename", "internal/base/lazy"}},
	{"internal/answer/request", []string{"internal/answer/agent", "internal/base/wire", "selection", "fault"}},
	{"internal/author/web", []string{"internal/answer/ranking", "internal/answer/agent", "internal/answer/answers", "internal/pages/markdown", "selection", "document", "internal/answer/request"}},
	{"internal/project/watch", []string{"internal/base/replace"}},
	{"internal/contexts/describe", []string{"internal/base/lazy", "internal/pages/markdown", "internal/base/toml"}},
	{"internal/project/targets", []string{"stages", "internal/base/parallel", "pipeline", "internal/answer/answers", "internal/answer/evaluation", "selection", "internal/contexts/describe", "internal/base/files", "internal/pages/instructions", "internal/base/replace", "internal/base/words", "internal/base/yaml12", "document", "fault", "internal/project/watch", "internal/caches/verify", "internal/caches/cache", "internal/pages/sources", "internal/base/lazy", "internal/acquire/packages", "internal/acquire/store", "internal/acquire/fetch", "internal/answer/links", "internal/pages/convert", "internal/acquire/registry", "internal/acquire/actions"}},
	{"internal/contexts/contextfile", []string{"internal/base/wire", "internal/base/yaml12", "internal/base/lazy", "internal/contexts/describe"}},
	{"internal/contexts/dotcontext", []string{"internal/contexts/contextfile", "internal/base/files", "internal/contexts/describe", "internal/base/ignore", "internal/base/parallel", "internal/base/wire", "internal/base/words", "fault", "internal/base/lazy", "internal/base/yaml12", "internal/base/recent"}},
	{"mcp", []string{"internal/base/lazy", "internal/author/web", "internal/answer/agent", "internal/contexts/dotcontext", "internal/answer/answers", "selection", "internal/caches/cache", "internal/base/files", "internal/base/replace", "fault", "internal/base/wire", "internal/answer/request"}},
	{"internal/author/console", []string{"internal/base/lazy", "pipeline", "internal/base/words", "internal/answer/agent", "internal/project/targets", "internal/base/files", "internal/contexts/dotcontext", "internal/contexts/contextfile", "internal/answer/evaluation", "selection"}},
	{"internal/author/review", []string{"internal/answer/answers", "internal/answer/evaluation", "internal/answer/links", "internal/project/targets", "internal/author/web", "pipeline", "selection", "document"}},
	{"cli", []string{"internal/base/lazy", "internal/base/parallel", "mcp", "internal/answer/agent", "internal/author/console", "internal/project/targets", "internal/project/watch", "internal/base/replace", "internal/base/files", "internal/contexts/dotcontext", "internal/contexts/contextfile", "pipeline", "internal/answer/answers", "internal/caches/merge", "internal/caches/verify", "stages", "internal/answer/evaluation", "selection", "internal/caches/cache", "document", "fault", "internal/base/wire", "internal/base/words", "docs", "internal/pages/sources", "internal/acquire/store", "internal/acquire/fetch", "internal/acquire/registry", "internal/answer/links", "internal/acquire/actions", "internal/author/review", "internal/answer/request"}},
	{"cmd/context", []string{"cli"}},
	{"cmd/mcp-context-server", []string{"cli"}},
	{"bench/corpus", nil},
	{"bench", nil}, // benchmarks are tests
}

// wings are the folders of internal, with the other folders that their packages may import.
var wings = map[string][]string{
	"base":     nil,
	"pages":    {"base"},
	"caches":   {"base", "pages"},
	"answer":   {"base", "pages", "caches"},
	"acquire":  {"base", "pages", "caches"},
	"project":  {"base", "pages", "caches", "answer", "acquire", "contexts"},
	"author":   {"base", "pages", "caches", "answer", "project", "contexts"},
	"contexts": {"base", "pages"},
	"deps":     nil,
}

// pure are the packages that touch no disk and no process.
var pure = []string{"internal/caches/index", "internal/contexts/contextfile", "internal/contexts/describe", "document", "selection", "internal/answer/evaluation", "internal/base/wire", "internal/base/yaml12", "internal/base/toml", "internal/base/words", "internal/base/ignore", "internal/base/heap", "internal/base/recent", "internal/base/pagename", "internal/pages/instructions", "internal/pages/markdown", "internal/pages/convert", "internal/pages/analysis", "internal/pages/sections", "internal/pages/changes", "internal/answer/ranking", "internal/base/lazy"}

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

// wingOf returns the folder of internal that contains a package, or "".
func wingOf(pkg string) string {
	inside, isInternal := strings.CutPrefix(pkg, "internal/")
	if !isInternal {
		return ""
	}
	wing, _, _ := strings.Cut(inside, "/")
	return wing
}

func TestImportsStayWithinTheirWings(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range parseFiles(t, false) {
		mine := wingOf(f.pkg)
		allowed, isWing := wings[mine]
		if mine == "" {
			continue
		}
		if !isWing {
			t.Errorf("%s: the folder internal/%s is no wing", f.path, mine)
		}
		documented[mine] = documented[mine] || f.path == "internal/"+mine+"/doc.go"
		for _, p := range importsOf(f.ast) {
			if other := wingOf(strings.TrimPrefix(p, module)); other != "" && other != mine && !slices.Contains(allowed, other) {
				t.Errorf("%s: packages of %s must not import %s", f.path, mine, p)
			}
		}
	}
	for wing := range wings {
		if !documented[wing] && wing != "deps" {
			t.Errorf("internal/%s has no doc.go", wing)
		}
	}
}

// The network is for the servers and for what fetches. The way from a page to an answer needs none.
func TestTheCoreOpensNoSocket(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../stages", "../../pipeline", "../../resolve",
		"../base/...", "../pages/...", "../caches/...", "../answer/...", "../contexts/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, module+"internal/answer/agent") {
		t.Fatal("the core is incomplete")
	}
	for _, p := range all {
		if p == "net" || strings.HasPrefix(p, "net/http") {
			t.Errorf("the core must not depend on %s", p)
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
		if f.pkg == "cli" || f.pkg == "internal/author/console" || f.pkg == "mcp" || f.pkg == "internal/author/web" || f.pkg == "internal/project/watch" || f.pkg == "internal/base/child" || f.pkg == "internal/base/effort" || strings.HasPrefix(f.pkg, "bench/") {
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

// There is a single parallel primitive. Nothing else starts a goroutine, except for the server,
// which waits for its input, its calls, its end and its log, and for the goroutines that wait for
// changes of files and for a credential helper.
func TestOnlyParallelIsConcurrent(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if f.pkg == "internal/base/parallel" || slices.Contains([]string{"mcp/call.go", "mcp/connection.go", "mcp/server.go", "cli/cmd_server.go", "internal/project/watch/watch.go", "internal/acquire/registry/logins.go"}, f.path) {
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

// Only front ends mention flags and commands. The packages below them also serve programs and
// agents, which have no flags.
func TestOnlyFrontEndsNameFlags(t *testing.T) {
	for _, f := range parseFiles(t, false) {
		if f.path == "internal/acquire/fetch/git.go" {
			continue // it passes flags to git
		}
		if top, _, _ := strings.Cut(f.pkg, "/"); f.pkg == "internal/author/console" || slices.Contains([]string{"cli", "mcp", "bench"}, top) {
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

// Expressions compiled at the start of the program would slow down every command.
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
