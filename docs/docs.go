// Package docs is this project's documentation, for `context demo` to compile.
package docs

import "embed"

// Files holds the Markdown files of this directory, and judged queries about them in eval.
//
//go:embed *.md eval
var Files embed.FS

// Contextfile is the text of the Contextfile.yml in the directory above, from which no file
// can be embedded here.
const Contextfile = `# The caches of this repository: ` + "`" + `context build` + "`" + ` makes them, and ` + "`" + `context check` + "`" + ` says
# whether they are up to date, valid and good. docs/contextfile.md describes the file.
version: 1
caches:
  docs:
    description: The documentation of the context compiler
    base_url: https://github.com/contextcompiler/context/blob/main/docs/{path}
    sources: [docs]
    checks:
      - queries: docs/eval/queries.jsonl
        qrels: docs/eval/qrels.tsv
        budgets: [1000]
        fail_under: {'ndcg@10': 0.75, 'budgeted_recall@1000': 0.85}
`
