package resolve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// Tell a missing cache from a damaged one.
func ExampleOpen() {
	c, err := resolve.Open("no/such/cache")
	if err != nil {
		switch fault.CodeOf(err) {
		case fault.CacheMissing:
			fmt.Println("build the cache first")
		case fault.CacheInvalid:
			fmt.Println("build the cache again")
		default:
			fmt.Println("give up:", err)
		}
		return
	}
	defer c.Close()
	// Output: build the cache first
}

// Get the sections that answer a question, within a budget of tokens, and decode the result.
func ExampleCache_Resolve() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := compile(ctx, dir, "docs", map[string]string{
		"Install.md": "# Install\n\nDownload the archive, then run the installer.\n",
		"Upgrade.md": "# Upgrade\n\nStop the server. Put the new archive in place of the old one.\n",
	})

	c, err := resolve.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	query, err := selection.ParseQuery("How is the server upgraded?")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Resolve(ctx, resolve.Request{Query: query, Budget: 2000}, &out); err != nil {
		log.Fatal(err)
	}
	var result struct {
		Documents []struct {
			ID      string
			Content string
			Tokens  int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		log.Fatal(err)
	}
	for _, doc := range result.Documents {
		fmt.Printf("%s (%d tokens)\n%s", doc.ID, doc.Tokens, doc.Content)
	}
	// Output:
	// upgrade.md (19 tokens)
	// # Upgrade
	//
	// Stop the server. Put the new archive in place of the old one.
}

// Read a page, and a page that the cache lacks.
func ExampleCache_Read() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := resolve.Open(compile(context.Background(), dir, "docs", map[string]string{
		"Install.md": "# Install\n\nRun the installer.\n",
		"Upgrade.md": "# Upgrade\n",
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	ids, err := c.Documents()
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range ids {
		doc, err := c.Read(id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(doc.ID, doc.Source, len(doc.Content))
	}
	if _, err := c.Read("missing.md"); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("there is no missing.md")
	}
	// Output:
	// install.md Install.md 30
	// upgrade.md Upgrade.md 10
	// there is no missing.md
}
