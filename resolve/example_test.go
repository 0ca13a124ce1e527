package resolve_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// Open a cache, check it, and read a document.
func ExampleOpen() {
	path := build("docs", map[string]string{"Hello.md": "# Hello\n\nhello world\n", "License.md": "Free for everybody.\n"})
	docs, err := resolve.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	if err := docs.Verify(context.Background()); err != nil {
		log.Fatal(err)
	}
	ids, err := docs.IDs()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids)
	doc, err := docs.Read("license.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", doc.Content)
	_, err = docs.Read("missing.md")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// [hello.md license.md]
	// Free for everybody.
	// true
}

// Write the answer to a question as JSON.
func ExampleDocs_Resolve() {
	docs, err := resolve.Open(build("hello", map[string]string{"Hello.md": "# Hello\n\nhello world\n"}))
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("Hello")
	if err != nil {
		log.Fatal(err)
	}
	if err := docs.Resolve(context.Background(), selection.Request{Query: query, Budget: 100}, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"documents":[{"id":"hello.md","version":"sha256:0f857688cb15fcda60cfe2fae42743904c84064de1048c23ba0a3d8d0aa99dbc","content":"# Hello\n\nhello world\n","score":0.92281,"tokens":6,"why":{"query_terms":["hello"],"term_matches":2,"total_words":3}}],"selection":{"query":"Hello","budget":100,"tokens_used":6,"documents_considered":1,"documents_selected":1,"documents_excluded_by_budget":0}}
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

// Ask two caches as one, and fill a budget with sections as values instead of JSON.
func ExampleOpenAll() {
	docs, err := resolve.OpenAll(map[string]string{
		"guide": build("guide", guide),
		"api":   build("api", map[string]string{"Server.md": "# Server\n\nstop() ends the server when its last request is answered.\n"}),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("how do I stop the server")
	if err != nil {
		log.Fatal(err)
	}
	excerpts, totals, err := docs.Select(context.Background(), selection.Request{Query: query, Budget: 100})
	if err != nil {
		log.Fatal(err)
	}
	for _, excerpt := range excerpts {
		fmt.Printf("%s (%d tokens)\n", excerpt.ID, excerpt.Tokens)
	}
	fmt.Printf("%d of %d tokens used\n", totals.TokensUsed, totals.Budget)
	doc, err := docs.Read(excerpts[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", doc.Content)
	// Output:
	// api:server.md (17 tokens)
	// guide:upgrade.md (15 tokens)
	// 32 of 100 tokens used
	// # Server
	//
	// stop() ends the server when its last request is answered.
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
	cfg := pipeline.Config{Sources: []stages.Mount{{Dir: docs}}, Cache: path, Force: true}
	if _, err := pipeline.Build(context.Background(), cfg); err != nil {
		log.Fatal(err)
	}
	return path
}
