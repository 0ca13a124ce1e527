package describe

import "strings"

// A class of files, in the order in which they tell what a project is written in.
type class int

const (
	programming class = iota
	markup
	data
	other
)

// A kind of file has a name that people know it by.
type kind struct {
	name  string
	class class
}

// kinds are the kinds of files by extension.
var kinds = map[string]kind{
	".go": {"Go", programming}, ".rs": {"Rust", programming}, ".py": {"Python", programming}, ".pyi": {"Python", programming},
	".pyx": {"Cython", programming}, ".js": {"JavaScript", programming}, ".mjs": {"JavaScript", programming},
	".cjs": {"JavaScript", programming}, ".jsx": {"JavaScript", programming}, ".ts": {"TypeScript", programming},
	".mts": {"TypeScript", programming}, ".cts": {"TypeScript", programming}, ".tsx": {"TypeScript", programming},
	".vue": {"Vue", programming}, ".svelte": {"Svelte", programming}, ".astro": {"Astro", programming},
	".java": {"Java", programming}, ".kt": {"Kotlin", programming}, ".kts": {"Kotlin", programming},
	".scala": {"Scala", programming}, ".groovy": {"Groovy", programming}, ".clj": {"Clojure", programming},
	".cljs": {"Clojure", programming}, ".cljc": {"Clojure", programming}, ".c": {"C", programming}, ".h": {"C", programming},
	".cc": {"C++", programming}, ".cpp": {"C++", programming}, ".cxx": {"C++", programming}, ".hh": {"C++", programming},
	".hpp": {"C++", programming}, ".hxx": {"C++", programming}, ".m": {"Objective-C", programming},
	".mm": {"Objective-C", programming}, ".cs": {"C#", programming}, ".fs": {"F#", programming}, ".vb": {"Visual Basic", programming},
	".swift": {"Swift", programming}, ".dart": {"Dart", programming}, ".rb": {"Ruby", programming}, ".php": {"PHP", programming},
	".pl": {"Perl", programming}, ".pm": {"Perl", programming}, ".lua": {"Lua", programming}, ".r": {"R", programming},
	".jl": {"Julia", programming}, ".ex": {"Elixir", programming}, ".exs": {"Elixir", programming}, ".erl": {"Erlang", programming},
	".hs": {"Haskell", programming}, ".ml": {"OCaml", programming}, ".mli": {"OCaml", programming}, ".elm": {"Elm", programming},
	".zig": {"Zig", programming}, ".nim": {"Nim", programming}, ".cr": {"Crystal", programming}, ".d": {"D", programming},
	".f90": {"Fortran", programming}, ".pas": {"Pascal", programming}, ".s": {"Assembly", programming}, ".asm": {"Assembly", programming},
	".sh": {"Shell", programming}, ".bash": {"Shell", programming}, ".zsh": {"Shell", programming}, ".fish": {"Shell", programming},
	".ps1": {"PowerShell", programming}, ".psm1": {"PowerShell", programming}, ".bat": {"Batch", programming},
	".cmd": {"Batch", programming}, ".el": {"Emacs Lisp", programming}, ".lisp": {"Common Lisp", programming},
	".vim": {"Vim script", programming}, ".sol": {"Solidity", programming}, ".v": {"Verilog", programming}, ".nix": {"Nix", programming},
	".tf": {"Terraform", programming}, ".hcl": {"HCL", programming}, ".proto": {"Protocol Buffers", data},

	".html": {"HTML", markup}, ".htm": {"HTML", markup}, ".css": {"CSS", markup}, ".scss": {"SCSS", markup},
	".sass": {"Sass", markup}, ".less": {"Less", markup}, ".md": {"Markdown", markup}, ".markdown": {"Markdown", markup},
	".mdx": {"MDX", markup}, ".rst": {"reStructuredText", markup}, ".adoc": {"AsciiDoc", markup}, ".tex": {"TeX", markup},
	".txt": {"text", markup}, ".ipynb": {"Jupyter Notebook", markup}, ".tmpl": {"template", markup}, ".hbs": {"Handlebars", markup},
	".ejs": {"EJS", markup}, ".erb": {"ERB", markup}, ".j2": {"Jinja", markup}, ".org": {"Org", markup},

	".json": {"JSON", data}, ".jsonc": {"JSON", data}, ".json5": {"JSON", data}, ".yaml": {"YAML", data}, ".yml": {"YAML", data},
	".toml": {"TOML", data}, ".xml": {"XML", data}, ".csv": {"CSV", data}, ".tsv": {"TSV", data}, ".sql": {"SQL", data},
	".graphql": {"GraphQL", data}, ".gql": {"GraphQL", data}, ".ini": {"INI", data}, ".txtar": {"txtar", data},
	".svg": {"SVG", other}, ".png": {"PNG", other}, ".jpg": {"JPEG", other}, ".jpeg": {"JPEG", other}, ".gif": {"GIF", other},
	".webp": {"WebP", other}, ".ico": {"ICO", other}, ".pdf": {"PDF", other}, ".wasm": {"WebAssembly", other}, ".snap": {"snapshot", other},
	".golden": {"golden", other}, ".zip": {"ZIP", other}, ".woff": {"font", other}, ".woff2": {"font", other}, ".ttf": {"font", other},
}

// isTest reports whether a file of source text holds tests, by the habits of
// its language.
func isTest(name string) bool {
	name = name[:len(name)-len(extensionOf(name))]
	for _, suffix := range []string{"_test", ".test", ".spec", "_spec", "-test", "Test", "Tests"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name, "test_") || name == "conftest"
}
