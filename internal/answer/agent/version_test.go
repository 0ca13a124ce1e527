package agent

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
)

func compareVersions(a, b string) int { return parseVersionNumber(a).compare(parseVersionNumber(b)) }

func TestVersionsAscend(t *testing.T) {
	for _, ascending := range [][]string{
		// The examples of https://semver.org/#spec-item-11.
		{"1.0.0", "2.0.0", "2.1.0", "2.1.1"},
		{"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0"},

		{"", "main", "stable", "0", "v1", "1.1", "v1.2", "1.10", "2"},
		{"16.0.0-canary.9", "16.0.0-canary.10", "16", "16.0.1", "16.0.1.1", "16.1"},
		{"3.13.9", "3.14.dev1", "3.14a1", "3.14.0b2", "3.14rc2", "3.14rc10", "3.14", "3.14.post1", "3.14.1"},
		{"25.10", "26.04", "26.04.1", "2025.1", "2026.02", "2026.11.03", "2026-11-04", "20261105", "99999999999999999999999", "100000000000000000000000"},
	} {
		for i, a := range ascending {
			for k, b := range ascending {
				if got, want := compareVersions(a, b), compareInts(i, k); got != want {
					t.Errorf("%q and %q: got %d, want %d", a, b, got, want)
				}
			}
		}
	}
	for _, equal := range [][]string{{"16.4", "v16.4", "16.4.0", "16.04", "V16.4.0.0+build.5"}, {"1.0-rc.1", "v1.0.0-rc.01+x"}, {"2026-11", "2026.11"}, {"1.0.", "1"}} {
		for _, a := range equal {
			for _, b := range equal {
				if got := compareVersions(a, b); got != 0 {
					t.Errorf("%q and %q: got %d, want 0", a, b, got)
				}
			}
		}
	}
}

func compareInts(a, b int) int { return min(max(a-b, -1), 1) }

func drawVersion() *rapid.Generator[string] {
	return rapid.OneOf(
		drawSemanticVersion(),
		rapid.StringMatching(`v?[0-9]{1,2}(\.[0-3]){0,3}(\.?(a|b|rc|dev|post)[0-2]?|-[a-c0-2]{0,2}(\.[0-9a]{1,2})?)?(\+[ab])?`),
		rapid.StringMatching(`20[0-9]{2}-[01][0-9](-[0-3][0-9])?`),
		rapid.SampledFrom([]string{"", "main", "latest", "v", "v.1", "1..2", "16.x", "1.0~1", "-1", "+", "é1"}),
		rapid.StringN(0, 4, 8),
	)
}

func drawSemanticVersion() *rapid.Generator[string] {
	return rapid.StringMatching(`(0|[1-9][0-9]?)\.[0-2]\.[0-2](-(0|[1-3][0-9]?|[a-c-][0-9a-b-]{0,2})(\.(0|[1-3]|[a-b][0-9]?)){0,2})?(\+[a-b])?`)
}

func TestTheOrderOfVersionsIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawVersion().Draw(t, "a"), drawVersion().Draw(t, "b"), drawVersion().Draw(t, "c")
		if got := compareVersions(a, a); got != 0 {
			t.Errorf("%q and itself: got %d", a, got)
		}
		if there, back := compareVersions(a, b), compareVersions(b, a); there != -back {
			t.Errorf("%q and %q: got %d, and %d the other way round", a, b, there, back)
		}
		all := []string{a, b, c}
		slices.SortFunc(all, compareVersions)
		if compareVersions(all[0], all[2]) > 0 || compareVersions(all[0], all[1]) == 0 && compareVersions(all[0], all[2]) != compareVersions(all[1], all[2]) {
			t.Errorf("%q are not in order", all)
		}
	})
}

// Versions that are valid there are ordered as by the go command.
func TestTheOrderOfSemanticVersionsIsStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSemanticVersion().Draw(t, "a"), drawSemanticVersion().Draw(t, "b")
		if !semver.IsValid("v"+a) || !semver.IsValid("v"+b) {
			t.Fatalf("%q or %q is invalid", a, b)
		}
		if got, want := compareVersions(a, b), semver.Compare("v"+a, "v"+b); got != want {
			t.Errorf("%q and %q: got %d, want %d", a, b, got, want)
		}
	})
}

func TestVersionsFitWhatIsWanted(t *testing.T) {
	there := []string{"", "main", "v15.5.0", "16.0.0-rc.1", "16.4.6", "v16.4.6", "16.10", "17.0.0-rc.1", "17.0.0-rc.2", "3.14rc2", "1.0+a", "1.0+b", "2.x", "2.5"}
	var products []document.Product
	for _, version := range there {
		products = append(products, document.Product{Name: "next", Version: version}, document.Product{Name: "nextra", Version: version})
	}
	for wanted, want := range map[string]string{
		"next":             "17.0.0-rc.2",
		"next@16":          "16.10",
		"next@v16":         "16.10",
		"next@16.4":        "16.4.6 v16.4.6",
		"next@16.4.6":      "16.4.6 v16.4.6",
		"next@16.04":       "16.4.6 v16.4.6",
		"next@16.x":        "16.10",
		"next@16.*":        "16.10",
		"next@16.1":        "",
		"next@16.4.6.0":    "16.4.6 v16.4.6",
		"next@16.4.6-rc.1": "",
		"next@15":          "v15.5.0",
		"next@17":          "17.0.0-rc.2",
		"next@17.0.0":      "",
		"next@17.0.0-rc":   "17.0.0-rc.2",
		"next@17.0.0-rc.1": "17.0.0-rc.1",
		"next@17.0.0-r":    "",
		"next@3.14":        "",
		"next@3":           "3.14rc2",
		"next@3.14rc2":     "3.14rc2",
		"next@1":           "1.0+a 1.0+b",
		"next@1.0+b":       "1.0+b",
		"next@1.0+c":       "",
		"next@2.x":         "2.x",
		"next@2":           "2.5",
		"next@main":        "main",
		"next@mai":         "",
		"next@latest":      "",
		"next@^16":         "",
		"Next@16":          "",
		"nex":              "",
	} {
		p, err := document.ParseProduct(wanted)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range bestVersions(products, p) {
			if products[i].Name != "next" {
				t.Errorf("%s: got %s", wanted, products[i])
			}
			got = append(got, products[i].Version)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", wanted, got, want)
		}
	}
}

// The choice is the highest version that fits, and all versions that equal it, in any order of the
// caches. A version always fits itself, and what fits also fits fewer segments.
func TestTheHighestVersionIsChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var products []document.Product
		for _, version := range rapid.SliceOfN(drawVersion(), 1, 8).Draw(t, "versions") {
			products = append(products, document.Product{Name: "next", Version: version})
		}
		own := rapid.SampledFrom(products).Draw(t, "own")
		if own.Version != "" {
			best := bestVersions(products, own)
			if len(best) == 0 || !slices.ContainsFunc(best, func(i int) bool { return products[i] == own }) {
				t.Errorf("%s: got %v of %v", own, best, products)
			}
		}
		wanted := parseVersionNumber(own.Version)
		for len(wanted.segments) > 1 && wanted.stage == release {
			wanted.segments, wanted.build = wanted.segments[:len(wanted.segments)-1], ""
			if !wanted.names(parseVersionNumber(own.Version)) {
				t.Errorf("%v does not name %s", wanted.segments, own)
			}
			text := strings.Join(wanted.segments, ".")
			best := bestVersions(products, document.Product{Name: "next", Version: text})
			isExact := compareVersions(products[best[0]].Version, text) == 0
			for i, p := range products {
				v := parseVersionNumber(p.Version)
				order := v.compare(parseVersionNumber(products[best[0]].Version))
				fits := wanted.names(v) && (!isExact || compareVersions(p.Version, text) == 0)
				if slices.Contains(best, i) != (fits && order == 0) || fits && order > 0 {
					t.Errorf("%s: got %v of %v", text, best, products)
				}
			}
		}
	})
}
