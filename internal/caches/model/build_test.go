package model_test

// Caches written out by hand from the contract. The hashes in them come from
// sha256sum, for example:
//
//	printf 'same\n' | sha256sum
//	printf '{"version":"1","hash_algorithm":"sha256"}' | sha256sum

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/caches/model"
)

const (
	epoch = "1970-01-01T00:00:00Z"

	sameVersion  = "sha256:a6328afc76e9db71da297ebff4b0d3e7a7eb3b01d917c05a6573fef121b6ecb6"
	mixedVersion = "sha256:a0ec84f3db215ce4103c5c9d006ba29ac063644e833c2f68902a001cba5ebd9d"
)

// mixed contains a BOM, CRLF line ends, and characters that JSON encoders treat differently.
const mixed = "\uFEFF# Title\r\nLine <b> & \"q\" \\ end\r\n"

func TestBuildWritesEveryByteOfTheContract(t *testing.T) {
	got := build(t, map[string]string{
		"docs/c.md": "same\n",
		"A.md":      "same\n",
		"É.md":      mixed,
		"b.md":      "same\n",
	})
	want := map[string]string{
		"manifest.json": `{
  "cache_version": "sha256:09f8491aca8c902daa48e41a150b38e688194cfd8bc8ad0fbdf78f0d7c2b6cd4",
  "build_config": {
    "version": "1",
    "hash_algorithm": "sha256"
  },
  "created_at": "1970-01-01T00:00:00Z",
  "document_count": 4,
  "documents": [
    {
      "id": "a.md",
      "version": "sha256:a6328afc76e9db71da297ebff4b0d3e7a7eb3b01d917c05a6573fef121b6ecb6",
      "file": "documents/a6328afc76e9.json"
    },
    {
      "id": "b.md",
      "version": "sha256:a6328afc76e9db71da297ebff4b0d3e7a7eb3b01d917c05a6573fef121b6ecb6",
      "file": "documents/a6328afc76e9-11dd481a.json"
    },
    {
      "id": "docs/c.md",
      "version": "sha256:a6328afc76e9db71da297ebff4b0d3e7a7eb3b01d917c05a6573fef121b6ecb6",
      "file": "documents/a6328afc76e9-bdb0d3fd.json"
    },
    {
      "id": "é.md",
      "version": "sha256:a0ec84f3db215ce4103c5c9d006ba29ac063644e833c2f68902a001cba5ebd9d",
      "file": "documents/a0ec84f3db21.json"
    }
  ]
}`,
		"index.json": `{
  "a.md": "documents/a6328afc76e9.json",
  "b.md": "documents/a6328afc76e9-11dd481a.json",
  "docs/c.md": "documents/a6328afc76e9-bdb0d3fd.json",
  "é.md": "documents/a0ec84f3db21.json"
}`,
		"documents/a6328afc76e9.json":          `{"id":"a.md","version":"` + sameVersion + `","source":"A.md","content":"same\n","metadata":`,
		"documents/a6328afc76e9-11dd481a.json": `{"id":"b.md","version":"` + sameVersion + `","source":"b.md","content":"same\n","metadata":`,
		"documents/a6328afc76e9-bdb0d3fd.json": `{"id":"docs/c.md","version":"` + sameVersion + `","source":"docs/c.md","content":"same\n","metadata":`,
		"documents/a0ec84f3db21.json": `{"id":"é.md","version":"` + mixedVersion + `","source":"É.md","content":"` +
			"\uFEFF" + `# Title\r\nLine <b> & \"q\" \\ end\r\n","metadata":`,
	}
	compareFiles(t, got, want)
}

func TestBuildOfNoSourcesIsAnEmptyCache(t *testing.T) {
	got := build(t, nil)
	want := map[string]string{
		"manifest.json": `{
  "cache_version": "sha256:a77ff76f65e3cd4cd0071b4af8f5294a77f67b6fe0c938a383db5e1271e913ee",
  "build_config": {
    "version": "1",
    "hash_algorithm": "sha256"
  },
  "created_at": "1970-01-01T00:00:00Z",
  "document_count": 0,
  "documents": []
}`,
		"index.json": `{}`,
	}
	compareFiles(t, got, want)
}

func TestBuildPrintsCreatedAtAsGiven(t *testing.T) {
	files, err := model.Build(nil, "2001-09-09T01:46:40Z")
	if err != nil {
		t.Fatal(err)
	}
	want := "\n  \"created_at\": \"2001-09-09T01:46:40Z\",\n"
	if got := files["manifest.json"]; !strings.Contains(got, want) {
		t.Errorf("got %s, want it to contain %q", got, want)
	}
}

func TestBuildEscapesOnlyWhatJSONHasTo(t *testing.T) {
	got := build(t, map[string]string{
		"x.md": "\x00\x1f\x7f\u2028\t\b\f\n\r/",
	})
	want := `{"id":"x.md","version":"sha256:e75346d77fba16e84804bad01a937cfaf02209968cbaaf4d9ef476c78a4d8ca7",` +
		`"source":"x.md","content":"\u0000\u001f` + "\x7f\u2028" + `\t\b\f\n\r/","metadata":`
	if got := got["documents/e75346d77fba.json"]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The versions of these two contents begin with the same 12 digits.
func TestBuildTellsApartDifferentContentsWithOneStem(t *testing.T) {
	got := build(t, map[string]string{
		"two.md": "# 5352758\n",
		"one.md": "# 30572769\n",
	})
	wantNames(t, got, map[string]string{
		"one.md": "7e099f9843d3.json",
		"two.md": "7e099f9843d3-09f41a3f.json",
	})
}

// The SHA-256 of both ids starting with n begins with 2b1d75dc.
func TestBuildTakesTheWholeHashOfAnIDWhenEightDigitsAreTaken(t *testing.T) {
	got := build(t, map[string]string{
		"n50785.md":  "same\n",
		"n132544.md": "same\n",
		"a.md":       "same\n",
	})
	wantNames(t, got, map[string]string{
		"a.md":       "a6328afc76e9.json",
		"n132544.md": "a6328afc76e9-2b1d75dc.json",
		"n50785.md":  "a6328afc76e9-2b1d75dc4cf046979c6174c51aa9f9d967881b980bdfffacfddf00e1441096b5.json",
	})
}

// The first of a group has no suffix, so its digits are free.
func TestBuildComparesSuffixesOnlyWithThoseInUse(t *testing.T) {
	got := build(t, map[string]string{
		"n50785.md":  "same\n",
		"n132544.md": "same\n",
	})
	wantNames(t, got, map[string]string{
		"n132544.md": "a6328afc76e9.json",
		"n50785.md":  "a6328afc76e9-2b1d75dc.json",
	})
}

// In UTF-16 the order of these two is the other way round.
func TestBuildSortsByTheBytesOfIDs(t *testing.T) {
	got := build(t, map[string]string{
		"𐐨.md": "same\n", // F0 90 90 A8
		"ａ.md": "same\n", // EF BD 81
	})
	index := got["index.json"]
	if strings.Index(index, "ａ.md") > strings.Index(index, "𐐨.md") {
		t.Errorf("got %s, want ａ.md first", index)
	}
}

func TestBuildNamesAllSourcesWithOneID(t *testing.T) {
	files, err := model.Build(map[string]string{
		"readme.md":   "one",
		"README.md":   "two",
		"ReadMe.md":   "three",
		"docs/Ärger":  "four",
		"docs/ärger":  "five",
		`docs\ärger`:  "six",
		"harmless.md": "seven",
	}, epoch)
	if err == nil {
		t.Fatalf("got files %v, want an error", slices.Sorted(maps.Keys(files)))
	}
	want := `sources with the same id: "docs/ärger" from "docs/Ärger", "docs/ärger", "docs\\ärger"; ` +
		`"readme.md" from "README.md", "ReadMe.md", "readme.md"`
	if err.Error() != want {
		t.Errorf("got %s, want %s", err, want)
	}
}

func TestIDIsTheLowerCaseSlashPath(t *testing.T) {
	for path, want := range map[string]string{
		"README.md":         "readme.md",
		`Docs\Guide\A.md`:   "docs/guide/a.md",
		"./a.md":            "a.md",
		`.\./a.md`:          "a.md",
		"././././a.md":      "a.md",
		"a/./b.md":          "a/./b.md",
		"../a.md":           "../a.md",
		".hidden/A.md":      ".hidden/a.md",
		"İstanbul.md":       "i\u0307stanbul.md",
		"ΟΔΟΣ.md":           "οδοσ.md", // what follows the dot is cased
		"ΟΔΟΣ/ΟΔΟΣ x.md":    "οδος/οδος x.md",
		"E\u0301.md":        "e\u0301.md", // not composed
		"ẞ.md":              "ß.md",
		"\u00a0 spaces .md": "\u00a0 spaces .md",
	} {
		if got := model.ID(path); got != want {
			t.Errorf("ID(%q): got %q, want %q", path, got, want)
		}
	}
}

func TestVersionIsTheHashOfTheContentAlone(t *testing.T) {
	for content, want := range map[string]string{
		"":       "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"same\n": sameVersion,
		mixed:    mixedVersion,
	} {
		if got := model.Version(content); got != want {
			t.Errorf("Version(%q): got %s, want %s", content, got, want)
		}
	}
}

func TestCacheVersionCoversIDsAndVersionsInOrder(t *testing.T) {
	got := model.CacheVersion(map[string]string{
		"é.md":      mixedVersion,
		"docs/c.md": sameVersion,
		"b.md":      sameVersion,
		"a.md":      sameVersion,
	})
	want := "sha256:09f8491aca8c902daa48e41a150b38e688194cfd8bc8ad0fbdf78f0d7c2b6cd4"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func build(t *testing.T, sources map[string]string) map[string]string {
	t.Helper()
	files, err := model.Build(sources, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func compareFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	gotPaths := slices.Sorted(maps.Keys(got))
	wantPaths := slices.Sorted(maps.Keys(want))
	if !slices.Equal(gotPaths, wantPaths) {
		t.Errorf("got files %q, want %q", gotPaths, wantPaths)
	}
	for _, path := range wantPaths {
		if got[path] != want[path] {
			t.Errorf("%s:\n got %s\nwant %s", path, got[path], want[path])
		}
	}
}

// wantNames checks the name of each id's document in the manifest and in the index, and makes sure
// that the file is this document's.
func wantNames(t *testing.T, files, want map[string]string) {
	t.Helper()
	for id, name := range want {
		entry := `"file": "documents/` + name + `"`
		if !strings.Contains(files["manifest.json"], entry) {
			t.Errorf("got manifest %s, want %s", files["manifest.json"], entry)
		}
		pair := `"` + id + `": "documents/` + name + `"`
		if !strings.Contains(files["index.json"], pair) {
			t.Errorf("got index %s, want %s", files["index.json"], pair)
		}
		beginning := `{"id":"` + id + `",`
		if got := files["documents/"+name]; !strings.HasPrefix(got, beginning) {
			t.Errorf("%s: got %q, want it to begin with %s", name, got, beginning)
		}
	}
	if got := len(files); got != len(want)+2 {
		t.Errorf("got %d files, want %d", got, len(want)+2)
	}
}
