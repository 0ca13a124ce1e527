package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/pipeline"
)

// Build a cache, change a page, and build the cache again.
func ExampleBuild() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	docs := filepath.Join(dir, "docs")
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: filepath.Join(dir, "cache"), Force: true}
	if err := os.Mkdir(docs, 0o777); err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"# Hello\n\nhello world\n", "# Hello\n\nhello moon\n"} {
		if err := os.WriteFile(filepath.Join(docs, "Hello.md"), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
		report, err := pipeline.Build(context.Background(), cfg)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Documents, report.Changes.Added, report.Changes.Changed)
	}
	// Output:
	// 1 [hello.md] []
	// 1 [] [hello.md]
}
