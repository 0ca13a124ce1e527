package resolve_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
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

// The question goes to sections, so a request for anything else must not be answered by guessing.
func TestInvalidRequestsAreFaultsOfTheCaller(t *testing.T) {
	docs, err := resolve.Open(build("requests", guide))
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	query, err := selection.ParseQuery("archive")
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []selection.Request{
		{Query: query, Selection: "7"},
		{Query: query, Unit: 9},
		{Query: query, Unit: -1},
		{Query: query, Selection: selection.Spec0, Unit: selection.Sections},
	} {
		_, _, selected := docs.Select(t.Context(), request)
		var ranked error
		for _, err := range docs.Rank(t.Context(), request) {
			ranked = err
		}
		_, explained := docs.Explain(t.Context(), request, 0)
		for call, err := range map[string]error{
			"Resolve": docs.Resolve(t.Context(), request, io.Discard), "Select": selected, "Rank": ranked, "Explain": explained,
		} {
			if err == nil || fault.CodeOf(err) != fault.InvalidQuery {
				t.Errorf("%s of %+v: got %v, want %v", call, request, err, fault.InvalidQuery)
			}
		}
	}
	if _, _, err := docs.Select(t.Context(), selection.Request{Query: query, Selection: selection.Spec0}); !errors.Is(err, selection.ErrUnit) {
		t.Errorf("got %v, want %v", err, selection.ErrUnit)
	}
}

func TestVersionsNameTheCachesThatVerifyChecks(t *testing.T) {
	path := build("versions", guide)
	docs, err := resolve.OpenAll(map[string]string{"a": path, "b": path})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	if versions := docs.Versions(); len(versions) != 2 || versions[0] != versions[1] || versions[0] == (document.Version{}) {
		t.Errorf("got %v, want the version of the cache twice", versions)
	}
	if err := docs.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(path, "stranger"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := docs.Verify(t.Context()); fault.CodeOf(err) != fault.CacheInvalid {
		t.Errorf("got %v, want %v", err, fault.CacheInvalid)
	}
}
