package resolve_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

// Build a cache, check it, and ask it something.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	path := compile(ctx, dir, "docs", map[string]string{"Hello.md": "# Hello\n\nhello world\n"})

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
	// {"documents":[{"id":"hello.md","version":"sha256:0f857688cb15fcda60cfe2fae42743904c84064de1048c23ba0a3d8d0aa99dbc","content":"# Hello\n\nhello world\n","score":0.92281,"tokens":6,"why":{"query_terms":["hello"],"term_matches":2,"total_words":3}}],"selection":{"query":"Hello","budget":100,"tokens_used":6,"documents_considered":1,"documents_selected":1,"documents_excluded_by_budget":0}}
}

// Ask two caches as one, and get the answer as values instead of JSON: choose what fits a
// budget, then read the text of each hit.
func ExampleSet_Rank() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	paths := map[string]string{
		"guide": compile(ctx, dir, "guide", map[string]string{
			"Install.md": "# Install\n\nDownload the archive, then run the installer.\n",
			"Upgrade.md": "# Upgrade\n\nStop the server before you replace the archive.\n",
		}),
		"api": compile(ctx, dir, "api", map[string]string{
			"Server.md": "# Server\n\nstop() ends the server when its last request is answered.\n",
		}),
	}

	var members []resolve.Member
	for name, path := range paths {
		c, err := resolve.Open(path)
		if err != nil {
			log.Fatal(err)
		}
		defer c.Close()
		members = append(members, resolve.Member{Name: name, Cache: c})
	}
	set, err := resolve.NewSet(members)
	if err != nil {
		log.Fatal(err)
	}
	query, err := selection.ParseQuery("how do I stop the server")
	if err != nil {
		log.Fatal(err)
	}
	ranked, err := set.Rank(ctx, resolve.Request{Query: query})
	if err != nil {
		log.Fatal(err)
	}
	hits, totals, err := ranked.Choose(ctx, resolve.Limits{Budget: 100})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range hits {
		text, err := ranked.Read(hit)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s:%s (%d tokens)\n%s\n", hit.Member, hit.ID, hit.Tokens, text.Content)
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

// compile builds a cache of pages below dir, and returns its path.
func compile(ctx context.Context, dir, name string, pages map[string]string) (path string) {
	docs := filepath.Join(dir, name)
	if err := os.Mkdir(docs, 0o777); err != nil {
		log.Fatal(err)
	}
	for page, text := range pages {
		if err := os.WriteFile(filepath.Join(docs, page), []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	path = filepath.Join(dir, "caches", name)
	if _, err := pipeline.Build(ctx, pipeline.Config{Sources: []pipeline.Mount{{Dir: docs}}, Cache: path}); err != nil {
		log.Fatal(err)
	}
	return path
}
