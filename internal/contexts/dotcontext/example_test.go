package dotcontext_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

// Describe the directories of a project, and see which description an edit makes stale.
func Example() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	for _, name := range []string{"api", "store"} {
		dir := filepath.Join(root, name)
		code := "package " + name + "\n" + strings.Repeat("// Code.\n", 3000)
		if err := os.Mkdir(dir, 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".go"), []byte(code), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	project, err := dotcontext.Open(root)
	if err != nil {
		log.Fatal(err)
	}
	defer project.Close()
	ctx := context.Background()
	if _, err := project.Init(ctx, dotcontext.WriteOptions{LastUpdated: "2026-01-02T15:04:05Z"}); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "api", "new.go"), []byte("package api\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	overview, err := project.Overview(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, status := range overview.Statuses {
		fmt.Println(status.Scope, status.State)
	}
	// Output:
	// . fresh
	// api stale
	// store fresh
}
