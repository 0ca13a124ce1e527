package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// Build a cache, ask it something, and check it.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o777); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "Hello.md"), []byte("# Hello\n\nhello world\n"), 0o666); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	path := filepath.Join(dir, "cache")
	report, err := pipeline.Build(ctx, pipeline.Config{Sources: docs, Cache: path})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Changes.Added, report.Manifest.Version)

	query, err := selection.ParseQuery("Hello")
	if err != nil {
		log.Fatal(err)
	}
	request := pipeline.Request{Query: query, Budget: 100}
	c, err := pipeline.Open(path, request)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := pipeline.Resolve(ctx, c, request, os.Stdout); err != nil {
		log.Fatal(err)
	}

	v, err := pipeline.Verify(ctx, path, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(v.Findings), "findings")
	// Output:
	// [hello.md] sha256:172388c3bfcc365fec94993f46efb0b2029cfcc98e52d9d50f432ec43fab1b37
	// {"documents":[{"id":"hello.md","version":"sha256:0f857688cb15fcda60cfe2fae42743904c84064de1048c23ba0a3d8d0aa99dbc","content":"# Hello\n\nhello world\n","score":0.5,"tokens":6,"why":{"query_terms":["hello"],"term_matches":2,"total_words":4}}],"selection":{"query":"Hello","budget":100,"tokens_used":6,"documents_considered":1,"documents_selected":1,"documents_excluded_by_budget":0}}
	// 0 findings
}
