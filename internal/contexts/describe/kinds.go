package describe

import (
	"strings"
	"sync"
)

// A fileClass groups kinds of files. The language of a project is in its first
// class.
type fileClass int

const (
	programming fileClass = iota
	headers               // of C or a language including them, so they say less than source
	markup
	data
	other
)

// A fileKind is what people call such files.
type fileKind struct {
	name  string
	class fileClass
}

// kinds contains the kinds of files by lower-case extension.
var kinds = sync.OnceValue(func() map[string]fileKind {
	kinds := map[string]fileKind{}
	for class, names := range map[fileClass]map[string]string{
		programming: {
			"Go": ".go", "Rust": ".rs", "Python": ".py .pyi", "JavaScript": ".js .mjs .cjs .jsx", "TypeScript": ".ts .mts .cts .tsx",
			"Vue": ".vue", "Svelte": ".svelte", "Astro": ".astro", "Java": ".java", "Kotlin": ".kt .kts", "Scala": ".scala",
			"Groovy": ".groovy", "Clojure": ".clj .cljs .cljc", "C": ".c", "C++": ".cc .cpp .cxx .hh .hpp .hxx", "Objective-C": ".m .mm",
			"C#": ".cs", "F#": ".fs", "Visual Basic": ".vb", "Swift": ".swift", "Dart": ".dart", "Ruby": ".rb", "PHP": ".php",
			"Perl": ".pl .pm", "Lua": ".lua", "R": ".r", "Julia": ".jl", "Elixir": ".ex .exs", "Erlang": ".erl", "Haskell": ".hs",
			"OCaml": ".ml .mli", "Elm": ".elm", "Zig": ".zig", "Nim": ".nim", "Assembly": ".s .asm", "Shell": ".sh .bash .zsh .fish",
			"PowerShell": ".ps1 .psm1", "Batch": ".bat .cmd", "Emacs Lisp": ".el", "Vim script": ".vim", "Solidity": ".sol",
			"Verilog": ".v", "Nix": ".nix", "Terraform": ".tf", "HCL": ".hcl",
		},
		headers: {"C": ".h"},
		markup: {
			"HTML": ".html .htm", "CSS": ".css", "SCSS": ".scss", "Sass": ".sass", "Less": ".less", "Markdown": ".md .markdown",
			"MDX": ".mdx", "reStructuredText": ".rst", "AsciiDoc": ".adoc", "TeX": ".tex", "text": ".txt", "Jupyter Notebook": ".ipynb",
			"template": ".tmpl", "Handlebars": ".hbs", "Jinja": ".j2",
		},
		data: {
			"JSON": ".json .jsonc .json5", "YAML": ".yaml .yml", "TOML": ".toml", "XML": ".xml", "CSV": ".csv", "TSV": ".tsv",
			"SQL": ".sql", "GraphQL": ".graphql .gql", "INI": ".ini", "txtar": ".txtar", "Protocol Buffers": ".proto",
		},
		other: {
			"SVG": ".svg", "PNG": ".png", "JPEG": ".jpg .jpeg", "GIF": ".gif", "WebP": ".webp", "ICO": ".ico", "PDF": ".pdf",
			"WebAssembly": ".wasm", "ZIP": ".zip", "font": ".woff .woff2 .ttf", "snapshot": ".snap", "golden": ".golden",
		},
	} {
		for name, extensions := range names {
			for extension := range strings.FieldsSeq(extensions) {
				kinds[extension] = fileKind{name, class}
			}
		}
	}
	return kinds
})

// isTest reports whether a source file contains tests, according to the conventions
// of its language.
func isTest(name string) bool {
	name = name[:len(name)-len(extensionOf(name))]
	for _, suffix := range []string{"_test", ".test", ".spec", "_spec", "-test", "Test", "Tests"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name, "test_") || name == "conftest"
}
