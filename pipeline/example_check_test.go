package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/pipeline"
)

// Ask whether a cache is up to date, without writing anything.
func ExampleCheck() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	page := filepath.Join(dir, "Hello.md")
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: dir}}, Cache: filepath.Join(dir, "cache")}
	if err := os.WriteFile(page, []byte("# Hello\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	_, err = pipeline.Check(ctx, cfg)
	fmt.Println(fault.CodeOf(err))
	if _, err := pipeline.Build(ctx, cfg); err != nil {
		log.Fatal(err)
	}

	if err := os.WriteFile(page, []byte("# Hello again\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	found, err := pipeline.Check(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	if !found.IsUpToDate() {
		fmt.Println("changed:", found.Changes.Changed)
	}
	// Output:
	// cache_missing
	// changed: [hello.md]
}
