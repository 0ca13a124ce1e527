package resolve_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
)

func TestACacheThatIsMissingFailsForAll(t *testing.T) {
	_, err := resolve.OpenAll(map[string]string{"guide": build("found", guide), "other": t.TempDir() + "/missing"})
	if err == nil || fault.CodeOf(err) != fault.CacheMissing {
		t.Errorf("got %v, want %v", err, fault.CacheMissing)
	}
	if _, err := resolve.OpenAll(map[string]string{"a:b": build("found", guide)}); err == nil {
		t.Error("a name with a colon was accepted")
	}
}

// An ID of a cache must never be mistaken for a name in another cache.
func TestReadFindsTheCacheByItsName(t *testing.T) {
	docs, err := resolve.OpenAll(map[string]string{
		"":      build("plain", map[string]string{"a.md": "plain\n"}),
		"guide": build("guides", map[string]string{"a.md": "guide\n"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	for id, want := range map[string]string{"a.md": "plain\n", "guide:a.md": "guide\n"} {
		doc, err := docs.Read(document.ID(id))
		if err != nil || string(doc.Content) != want {
			t.Errorf("%s: got %q, %v, want %q", id, doc.Content, err, want)
		}
	}
}

// The best sections must be those that a large budget selects.
func TestRankYieldsWhatSelectReturns(t *testing.T) {
	pages := map[string]string{"copy.md": guide["Upgrade.md"]}
	for name, text := range guide {
		pages[name] = text
	}
	docs, err := resolve.Open(build("copies", pages))
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("archive")
	if err != nil {
		t.Fatal(err)
	}
	request := selection.Request{Query: query, Budget: 1 << 40}
	var ranked []string
	for excerpt, err := range docs.Rank(context.Background(), request) {
		if err != nil {
			t.Fatal(err)
		}
		ranked = append(ranked, string(excerpt.Content))
	}
	excerpts, totals, err := docs.Select(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	var selected []string
	for _, excerpt := range excerpts {
		selected = append(selected, string(excerpt.Content))
	}
	slices.Sort(ranked)
	slices.Sort(selected)
	if !slices.Equal(ranked, selected) || len(ranked) != 2 || totals.Selected != 2 {
		t.Errorf("got %q and %q, %+v", ranked, selected, totals)
	}
}
