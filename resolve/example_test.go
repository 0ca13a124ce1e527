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
	"path/filepath"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// Distinguish a missing cache from a damaged cache.
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

// Read a page, and a page that is missing in the cache.
func ExampleDocs_Read() {
	c, err := resolve.Open(build("pages", map[string]string{
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

// Get the sections that answer a question, within a budget of tokens, and decode the result.
func ExampleDocs_Resolve() {
	ctx := context.Background()
	c, err := resolve.Open(build("upgrade", map[string]string{
		"Install.md": "# Install\n\nDownload the archive, then run the installer.\n",
		"Upgrade.md": "# Upgrade\n\nStop the server. Put the new archive in place of the old one.\n",
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	query, err := selection.ParseQuery("How is the server upgraded?")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Resolve(ctx, selection.Request{Query: query, Budget: 2000}, &out); err != nil {
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

// Read the best sections for a question until you have enough.
func Example_rankAndRead() {
	docs, err := resolve.Open(build("guide", guide))
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("how do I replace the archive")
	if err != nil {
		log.Fatal(err)
	}
	for excerpt, err := range docs.Rank(context.Background(), selection.Request{Query: query}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s scores %d of %d\n%s", excerpt.ID, excerpt.Score, selection.One, excerpt.Content)
		break
	}
	// Output:
	// upgrade.md scores 337110 of 1000000
	// # Upgrade
	//
	// Stop the server before you replace the archive.
}

// Ask two caches as if they were one, and fill a budget with sections as values instead
// of JSON.
func ExampleOpenAll() {
	ctx := context.Background()
	paths := map[string]string{
		"guide": build("guide", guide),
		"api":   build("api", map[string]string{"Server.md": "# Server\n\nstop() ends the server when its last request is answered.\n"}),
	}
	docs, err := resolve.OpenAll(paths)
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("how do I stop the server")
	if err != nil {
		log.Fatal(err)
	}
	excerpts, totals, err := docs.Select(ctx, selection.Request{Query: query, Budget: 100})
	if err != nil {
		log.Fatal(err)
	}
	for _, excerpt := range excerpts {
		fmt.Printf("%s (%d tokens)\n%s\n", excerpt.ID, excerpt.Tokens, excerpt.Content)
	}
	fmt.Printf("%d of %d tokens used\n", totals.TokensUsed, totals.Budget)
	// Output:
	// api:server.md (17 tokens)
	// # Server
	//
	// stop() ends the server when its last request is answered.
	//
	// guide:upgrade.md (15 tokens)
	// # Upgrade
	//
	// Stop the server before you replace the archive.
	//
	// 32 of 100 tokens used
}

// Say which words brought a section into an answer.
func ExampleDocs_Explain() {
	docs, err := resolve.Open(build("guide", guide))
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("replace the archive")
	if err != nil {
		log.Fatal(err)
	}
	explained, err := docs.Explain(context.Background(), selection.Request{Query: query, Budget: 100}, 10)
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range explained.Items {
		fmt.Println(item.Rank, item.ID, item.Verdict)
		for _, part := range item.Evidence {
			if part.Kind == "" {
				fmt.Println("  ", part.Terms)
			}
		}
	}
	// Output:
	// 1 upgrade.md chosen
	//    [replac]
	//    [archiv]
	//    [replac archiv]
	// 2 install.md chosen
	//    [archiv]
}

var guide = map[string]string{
	"Install.md": "# Install\n\nDownload the archive, then run the installer.\n",
	"Upgrade.md": "# Upgrade\n\nStop the server before you replace the archive.\n",
}

// build builds a cache of pages in a temporary directory and returns its path.
func build(name string, pages map[string]string) (path string) {
	docs := filepath.Join(temporary, "docs", name)
	if err := os.MkdirAll(docs, 0o777); err != nil {
		log.Fatal(err)
	}
	for page, text := range pages {
		if err := os.WriteFile(filepath.Join(docs, page), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	path = filepath.Join(temporary, "caches", name)
	cfg := pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path, Force: true}
	if _, err := pipeline.Build(context.Background(), cfg); err != nil {
		log.Fatal(err)
	}
	return path
}
