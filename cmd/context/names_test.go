//go:build unix

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreignNames look like Go names of this module, but belong to others.
var foreignNames = []string{
	"context.resolve", "context.list_caches", "context.inspect_cache", // MCP tools
	"build_config.version", "why.query_terms", "dependencies.internal", // members of JSON and YAML
	"renameat2", "renamex_np", // calls of systems
	"jq", "min_tokens", // a program, and a setting of directory contexts
	"core.excludesFile", "core.autocrlf", "fs.inotify.max_user_watches", // settings of git and Linux
	"io.github.contextcompiler.cache", "io.github.contextcompiler.cache.version", // keys in artifacts
	"db.Open",                                                                                       // in an example of a context
	"os.Symlink", "strings.ToLower", "yaml.Node", "fs.ErrNotExist", "errors.Is", "context.Canceled", // of libraries
}

// looksLikeGo is what looks like a Go name in a page, besides names with a dot. Other pages are
// not about the code.
var looksLikeGo = map[string]*regexp.Regexp{
	"architecture.md": regexp.MustCompile(`^[A-Za-z]\w*$`),
	"decisions.md":    regexp.MustCompile(`^[A-Za-z]\w*$`),
	"CONTRIBUTING.md": regexp.MustCompile(`^[A-Za-z]*[a-z][A-Z]\w*$`),
}

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	dotted   = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)
	fileName = regexp.MustCompile(`\.(lock|sh|md|mdx|yml|yaml|json|jsonl|tsv|idx|toml|py|cfg|js|go|mod|nix|bazel|zip|gz|deb|mcpb|txtar)$`)

	// rowOfStarts is a row of the table of packages: the package, and where to start reading.
	rowOfStarts = regexp.MustCompile("^\\| `([a-z0-9/-]+)` \\|.*\\|([^|]*)\\|$")
)

// Every Go name that a page mentions exists: names with a dot everywhere, such as resolve.Open
// and Config.Jobs, names such as readBlocks in the pages about the code, where packages and
// directories count as well, and in the table of packages the names to start reading at.
func TestPagesMentionGoNamesThatExist(t *testing.T) {
	names := namesOfTheModule(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 3 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	found := 0
	foreign := map[string]bool{}
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md") {
		number := 0
		for line := range strings.Lines(string(readFile(t, page))) {
			number++
			mentioned := goNamesIn(line, looksLikeGo[filepath.Base(page)])
			if filepath.Base(page) == "architecture.md" {
				mentioned = append(mentioned, startsIn(line)...)
			}
			for _, name := range mentioned {
				found++
				if slices.Contains(foreignNames, name) {
					foreign[name] = true
				} else if !names[name] {
					t.Errorf("%s:%d: this module has no %s", page, number, name)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names were found", found)
	}
	for _, name := range foreignNames {
		if !foreign[name] {
			t.Errorf("no page mentions %s any more", name)
		}
	}
}

// Every path of the repository that a page about the code mentions exists.
func TestPagesMentionPathsThatExist(t *testing.T) {
	path := regexp.MustCompile(`^[a-z.][\w.-]*(/[\w.-]+)+$`)
	found := 0
	for _, page := range []string{"CONTRIBUTING.md", "docs/architecture.md", "docs/decisions.md", "docs/performance.md", "docs/releases.md"} {
		for _, span := range codeSpan.FindAllStringSubmatch(string(readFile(t, "../../"+page)), -1) {
			top, _, _ := strings.Cut(span[1], "/")
			if info, err := os.Stat("../../" + top); err != nil || !info.IsDir() || !path.MatchString(span[1]) {
				continue
			}
			found++
			if _, err := os.Stat("../../" + span[1]); err != nil && !strings.Contains(span[1], "NAME") {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d paths were found", found)
	}
}

// goNamesIn returns the code spans of a line that are names with a dot, or that match plain,
// which may be nil.
func goNamesIn(line string, plain *regexp.Regexp) (names []string) {
	for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
		name := strings.TrimSuffix(span[1], "()")
		if dotted.MatchString(name) && !fileName.MatchString(name) {
			names = append(names, name)
		}
		if plain != nil && plain.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// startsIn returns the names in the last column of a row of the table of packages, after the
// package.
func startsIn(line string) (names []string) {
	if row := rowOfStarts.FindStringSubmatch(strings.TrimSpace(line)); row != nil {
		for _, span := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			names = append(names, row[1]+"/"+span[1])
		}
	}
	return names
}

// namesOfTheModule returns the names of all packages of the repository, in tests too. A function
// Open of package internal/caches/cache has the names Open, cache.Open and
// internal/caches/cache/Open, and the method Close of its type Cache has Close, Cache.Close,
// cache.Cache.Close and so on.
func namesOfTheModule(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir("../..", func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || e.Name() == "build" || strings.HasPrefix(e.Name(), ".") && e.Name() != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel("../..", filepath.Dir(file))
		names[filepath.Base(dir)], names[parsed.Name.Name] = true, true
		for _, name := range namesOf(parsed) {
			names[filepath.ToSlash(dir)+"/"+name] = true
			names[parsed.Name.Name+"."+name] = true
			names[name] = true
			names[name[strings.LastIndex(name, ".")+1:]] = true
		}
		return err
	})
	if err != nil || len(names) < 1000 {
		t.Fatalf("got %d names, %v", len(names), err)
	}
	return names
}

// namesOf returns what a file declares: functions, types, constants and variables, and
// the methods and fields of types after the name of the type.
func namesOf(file *ast.File) (names []string) {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, receiverOf(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
					for _, member := range membersOf(s.Type) {
						names = append(names, s.Name.Name+"."+member)
					}
				}
			}
		}
	}
	return names
}

// receiverOf returns "T." for a method of T, and "" for a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	receiver := d.Recv.List[0].Type
	for {
		switch typ := receiver.(type) {
		case *ast.StarExpr:
			receiver = typ.X
		case *ast.IndexExpr:
			receiver = typ.X
		case *ast.IndexListExpr:
			receiver = typ.X
		case *ast.Ident:
			return typ.Name + "."
		default:
			return ""
		}
	}
}

// membersOf returns the fields of a struct, or the methods of an interface.
func membersOf(typ ast.Expr) (names []string) {
	var fields *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return nil
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
