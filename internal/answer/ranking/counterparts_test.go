package ranking

import (
	"slices"
	"testing"

	"github.com/contextcompiler/context/document"
)

func TestCounterpartsDifferInOneDirectory(t *testing.T) {
	for _, tc := range []struct {
		a, b document.ID
		want bool
	}{
		{"docs/en/a.md", "docs/ja/a.md", true},
		{"5.1/core/a.md", "7.4/core/a.md", true},
		{"docs/en/a.md", "docs/en/b.md", false},
		{"docs/en/a.md", "docs/ja/b.md", false},
		{"en/x/a.md", "ja/y/a.md", false},
		{"en/a.md", "a.md", false},
		{"a.md", "b.md", false},
	} {
		isKin := slices.ContainsFunc(kinOf(tc.a), func(key string) bool { return slices.Contains(kinOf(tc.b), key) })
		if isKin != tc.want {
			t.Errorf("%s and %s: got %v, want %v", tc.a, tc.b, isKin, tc.want)
		}
	}
}

func TestTranslationsDifferInTheirLanguages(t *testing.T) {
	for _, tc := range []struct {
		a, b document.ID
		want bool
	}{
		{"docs/en/a.md", "docs/ja/a.md", true},
		{"en/docs/a.md", "zh-hans/docs/a.md", true},
		{"en/docs/en/a.md", "pt-br/docs/pt-br/a.md", true},
		{"es/a.md", "es-419/a.md", true},
		{"docs/en/a.md", "docs/ja/b.md", false},
		{"en/docs/a.md", "ja/guides/a.md", false},
		{"docs/en/a.md", "en/docs/a.md", false},
		{"docs/a.md", "guide/a.md", false}, // neither is a language
		{"5.1/a.md", "7.4/a.md", false},
		{"no-auth/a.md", "no-ssl/a.md", false},
		{"id-card/a.md", "ms-sql/a.md", false},
		{"en/a.md", "a.md", false},
		{"en.md", "ja.md", false},
	} {
		a, b := translationOf(tc.a, "setup"), translationOf(tc.b, "setup")
		if got := a != "" && a == b; got != tc.want {
			t.Errorf("%s and %s: got %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	if translationOf("en/a.md", "setup") == translationOf("ja/a.md", "use") {
		t.Error("sections with other anchors are translations")
	}
}

// On counterparts, a third of the shingles in common suffices, but not elsewhere.
func TestCounterpartsMayDifferInWhatIsNoCode(t *testing.T) {
	code := make([]byte, 60)
	for i := range code {
		code[i] = byte(i)
	}
	english, japanese := slices.Clone(code), slices.Clone(code)
	for i := range 30 {
		english, japanese = append(english, byte(100+i)), append(japanese, byte(200+i))
	}
	a, b := shinglesOf(english), shinglesOf(japanese)
	if areAlike(a, b) {
		t.Fatal("the texts are near-duplicates, so the test proves nothing")
	}
	chosen := counterparts{}
	chosen.add(&saidUnit{ordinal: 7, page: 1, kin: kinOf("docs/en/a.md"), shingles: a})
	if of, found := chosen.like(&saidUnit{page: 2, kin: kinOf("docs/ja/a.md"), shingles: b}); !found || of != 7 {
		t.Errorf("got %d, %v, want 7, true", of, found)
	}
	if _, found := chosen.like(&saidUnit{page: 2, kin: kinOf("docs/en/b.md"), shingles: b}); found {
		t.Error("another page of the directory is a counterpart")
	}
	if _, found := chosen.like(&saidUnit{page: 1, kin: kinOf("docs/en/a.md"), shingles: b}); found {
		t.Error("another section of the page is a counterpart")
	}
}
