package resolve_test

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// Build a cache, check it, and ask it something.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	docs, path := filepath.Join(dir, "docs"), filepath.Join(dir, "cache")
	if err := os.Mkdir(docs, 0o777); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "Hello.md"), []byte("# Hello\n\nhello world\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := pipeline.Build(ctx, pipeline.Config{Sources: []stages.Mount{{Dir: docs}}, Cache: path}); err != nil {
		log.Fatal(err)
	}

	c, err := resolve.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := c.Verify(ctx, 0); err != nil {
		log.Fatal(err)
	}
	query, err := selection.ParseQuery("Hello")
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Resolve(ctx, resolve.Request{Query: query, Budget: 100}, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"documents":[{"id":"hello.md","version":"sha256:0f857688cb15fcda60cfe2fae42743904c84064de1048c23ba0a3d8d0aa99dbc","content":"# Hello\n\nhello world\n","score":0.750361,"tokens":6,"why":{"query_terms":["hello"],"term_matches":2,"total_words":3}}],"selection":{"query":"Hello","budget":100,"tokens_used":6,"documents_considered":1,"documents_selected":1,"documents_excluded_by_budget":0}}
}
