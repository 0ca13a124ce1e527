package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
)

// versionOf returns the version of a cache with these entries.
func versionOf(entries []Entry) document.Version {
	sum := newVersionSum()
	for _, e := range entries {
		sum.add(e.ID, e.Version)
	}
	return sum.version()
}

var sameDocument = cmp.Options{cmp.AllowUnexported(document.Value{}), cmpopts.EquateEmpty()}

func encodedDocument(doc document.Document) []byte {
	e := new(wire.Encoder)
	encodeDocument(e, doc)
	return e.Bytes()
}

// oddDocuments contain what encoders and decoders of JSON disagree about.
var oddDocuments = func() []document.Document {
	docs := documentsOf("", "empty.md")
	for i, content := range []string{
		"\ufeff# BOM\r\n", "\x00\x01\x1f\x7f\b\f\n\r\t", "\"\\/<>&\u2028\u2029", "日本 🎉 \U0010ffff", `\u0041 \n`, "\ufffd",
	} {
		doc := documentsOf(content, fmt.Sprintf("Odd \"%d\"\\x.md", i))[0]
		doc.Metadata = document.Metadata{
			"": document.Text(""), "\x00\u2028": document.Text(content), "least": document.Number(math.MinInt64),
			"most": document.Number(math.MaxInt64), "zero": document.Number(0), "text": document.Text("-0"),
		}
		docs = append(docs, doc)
	}
	return docs
}()

// manifestOf returns the manifest of docs, which must be sorted.
func manifestOf(docs []document.Document) Manifest {
	names := claimedNames{}
	var entries []Entry
	for _, doc := range docs {
		entries = append(entries, newEntry(doc.ID, doc.Version, names.claim(doc.Version, doc.ID).name(doc.Version, doc.ID)))
	}
	sortEntries(entries)
	return Manifest{Version: versionOf(entries), CreatedAt: Epoch, DocumentCount: int64(len(entries)), Documents: entries}
}

func sortEntries(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
}

// Each of these is either a document that other programs decode differently, or not
// quite JSON.
var oddJSON = []string{
	"", "{}", "[]", "null", `{"":0}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"id":"\ud800"}`, `{"id":"\ud83c\udf89"}`,
	"{\"id\":\"\xff\"}", `{"id":"\x"}`, `{"id":"a`, `{"id":01}`, `{"x":1.}`, `{"x":-}`, `{"x":1e}`, `{"x":.5}`, `{"x":+1}`, `{"x":1,}`,
	`{,}`, `[,]`, `{"x":[1,]}`, `{"x":tru}`, `{"x":nullnull}`, "{} {}", "{}\x00", "\ufeff{}", `{"ID":"x","Content":"y"}`,
	strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), `{"a":1 "b":2}`, `{"a" 1}`, `{1:2}`, "{\"\x01\":1}",
}

func seed(f *testing.F, encodings ...[]byte) {
	f.Helper()
	for _, data := range encodings {
		f.Add(data)
	}
	for _, text := range oddJSON {
		f.Add([]byte(text))
	}
}

// members returns the members of the JSON object data, read by the standard library. It
// fails the test if the library cannot read it.
func members(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&all); err != nil || !json.Valid(data) || !utf8.Valid(data) {
		t.Fatalf("decoded what is not JSON: %v", err)
	}
	return all
}

// Whatever can be decoded must encode to something with the same meaning and with only a
// single encoding. The standard library must read the same in it.
func FuzzDecodeManifest(f *testing.F) {
	seed(f, manifestOf(nil).encode(), manifestOf(oldDocuments).encode(), manifestOf(oddDocuments).encode())
	f.Add(forSelection1(manifestOf(oldDocuments)).encode())
	f.Add(withAbout(forSelection1(manifestOf(oldDocuments))).encode())
	for _, text := range foreignManifests(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeManifest(data)
		if err != nil {
			if code := fault.CodeOf(err); code != fault.CacheInvalid {
				t.Errorf("got code %v, want %v: %v", code, fault.CacheInvalid, err)
			}
			return
		}
		all := members(t, data)
		want := []any{m.Version.String(), m.CreatedAt, json.Number(fmt.Sprint(m.DocumentCount))}
		got := []any{all["cache_version"], all["created_at"], all["document_count"]}
		if got[2] == json.Number("-0") {
			got[2] = json.Number("0")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("encoding/json reads another manifest (-ours +its):\n%s", diff)
		}
		spec, _ := all["selection"].(map[string]any)
		if want := (m.Selection == 1); want != (spec["spec"] == "1") {
			t.Errorf("got selection %d, but encoding/json reads %v", m.Selection, all["selection"])
		}
		if list, ok := all["documents"].([]any); !ok || len(list) != len(m.Documents) {
			t.Errorf("got %d documents, want what encoding/json reads: %v", len(m.Documents), all["documents"])
		}
		again, err := decodeManifest(m.encode())
		if err != nil {
			t.Fatalf("decodes, but not once it is encoded: %v", err)
		}
		if diff := cmp.Diff(m, again, sameDocument); diff != "" {
			t.Errorf("encodes to another manifest (-want +got):\n%s", diff)
		}
		if !bytes.Equal(again.encode(), m.encode()) {
			t.Error("one manifest has two encodings")
		}
		if len(m.Check()) == 0 {
			wantSafe(t, m)
		}
	})
}

// wantSafe fails the test unless a manifest without findings really is sound.
func wantSafe(t *testing.T, m Manifest) {
	t.Helper()
	for i, e := range m.Documents {
		dir, name := path.Split(e.File)
		if dir != "documents/" || strings.ContainsAny(name, "\\\x00") || !strings.HasPrefix(name, e.Version.Stem()) {
			t.Errorf("%q passes for the path of a file of %v", e.File, e.Version)
		}
		if i > 0 && m.Documents[i-1].ID >= e.ID {
			t.Errorf("%q passes for coming after %q", e.ID, m.Documents[i-1].ID)
		}
	}
}

func FuzzDecodeFileList(f *testing.F) {
	seed(f, manifestOf(nil).encodeFileList(), manifestOf(oldDocuments).encodeFileList(), manifestOf(oddDocuments).encodeFileList())
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeFileList(data)
		if err != nil {
			return
		}
		all := members(t, data)
		if len(all) != len(list) {
			t.Errorf("got %d members, want %d", len(list), len(all))
		}
		var m Manifest
		for id, file := range list {
			if all[string(id)] != any(file) {
				t.Errorf("%q: got %q, want %v", id, file, all[string(id)])
			}
			m.Documents = append(m.Documents, Entry{ID: id, File: file})
		}
		sortEntries(m.Documents)
		again, err := decodeFileList(m.encodeFileList())
		if err != nil {
			t.Fatalf("decodes, but not once it is encoded: %v", err)
		}
		if diff := cmp.Diff(list, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("encodes to another list (-want +got):\n%s", diff)
		}
	})
}

func FuzzDecodeDocument(f *testing.F) {
	var encodings [][]byte
	for _, doc := range append(oddDocuments, newDocuments...) {
		encodings = append(encodings, encodedDocument(doc))
	}
	seed(f, encodings...)
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, _, err := decodeDocument(bytes.Clone(data)) // which overwrites it
		if err != nil {
			return
		}
		all := members(t, data)
		want := []any{string(doc.ID), doc.Version.String(), doc.Source, string(doc.Content)}
		if diff := cmp.Diff(want, []any{all["id"], all["version"], all["source"], all["content"]}); diff != "" {
			t.Errorf("encoding/json reads another document (-ours +its):\n%s", diff)
		}
		if metadata, ok := all["metadata"].(map[string]any); !ok || len(metadata) != len(doc.Metadata) {
			t.Errorf("got metadata %v, want %v", doc.Metadata, all["metadata"])
		}
		encoded := encodedDocument(doc)
		again, _, err := decodeDocument(bytes.Clone(encoded))
		if err != nil {
			t.Fatalf("decodes, but not once it is encoded: %v", err)
		}
		if diff := cmp.Diff(doc, again, sameDocument); diff != "" {
			t.Errorf("encodes to another document (-want +got):\n%s", diff)
		}
		if !bytes.Equal(encodedDocument(again), encoded) {
			t.Error("one document has two encodings")
		}
	})
}

// drawDocument draws a document, including documents that no build could make, because
// IDs do not have to match sources here.
func drawDocument() *rapid.Generator[document.Document] {
	return rapid.Custom(func(t *rapid.T) document.Document {
		content := []byte(rapid.String().Draw(t, "content"))
		metadata := document.Metadata{}
		for key, n := range rapid.MapOfN(rapid.String(), rapid.Int64(), 0, 4).Draw(t, "metadata") {
			metadata[key] = document.Number(n)
			if n%2 == 0 {
				metadata[key] = document.Text(rapid.String().Draw(t, "value"))
			}
		}
		return document.Document{
			ID: document.IDOf(rapid.String().Draw(t, "id")), Version: document.VersionOf(content),
			Source: rapid.String().Draw(t, "source"), Content: content, Metadata: metadata,
		}
	})
}

func TestWhatWeEncodeDecodesToItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		withID := drawDocument().Filter(func(d document.Document) bool { return d.ID.IsValid() })
		docs := rapid.SliceOfNDistinct(withID, 0, 8, func(d document.Document) document.ID { return d.ID }).Draw(t, "documents")
		for _, doc := range docs {
			got, _, err := decodeDocument(encodedDocument(doc))
			if diff := cmp.Diff(doc, got, sameDocument); diff != "" || err != nil {
				t.Errorf("document: %v (-want +got):\n%s", err, diff)
			}
		}
		m := manifestOf(docs)
		m.Selection = rapid.IntRange(0, 1).Draw(t, "selection")
		if rapid.Bool().Draw(t, "about") {
			m = withAbout(m)
		}
		got, err := decodeManifest(m.encode())
		if diff := cmp.Diff(m, got, sameDocument); diff != "" || err != nil {
			t.Errorf("manifest: %v (-want +got):\n%s", err, diff)
		}
		if findings := got.Check(); len(findings) > 0 {
			t.Errorf("got %v, want no findings", findings)
		}
		list, err := decodeFileList(m.encodeFileList())
		if err != nil || len(m.compareFileList(list)) > 0 {
			t.Errorf("index.json: got %v, %v", list, err)
		}
	})
}

// foreignManifests returns manifests of oldDocuments as other programs could write them.
func foreignManifests(t testing.TB) map[string]string {
	t.Helper()
	ours := string(manifestOf(oldDocuments).encode())
	replace := func(old, new string) string {
		if !strings.Contains(ours, old) {
			t.Fatalf("the manifest has no %q", old)
		}
		return strings.ReplaceAll(ours, old, new)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(ours)); err != nil {
		t.Fatal(err)
	}
	var loose map[string]any
	if err := json.Unmarshal([]byte(ours), &loose); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.MarshalIndent(loose, "\r\n", "\t")
	if err != nil {
		t.Fatal(err)
	}
	const extra = `"extra": {"deep": [1.5e-3, true, null, {"id": "x"}]},`
	return map[string]string{
		"ours":                    ours,
		"compact":                 compact.String(),
		"other order and layout":  string(sorted),
		"final newline":           ours + "\n",
		"field at the top":        "{" + extra + ours[1:],
		"field in build_config":   replace(`"build_config": {`, `"build_config": {`+extra),
		"field in every document": replace(`      "id"`, extra+`"id"`),
		"selection":               replace(`"created_at"`, `"selection": {"spec": "1"}, "created_at"`),
		"fractional seconds":      replace(Epoch, "2024-02-29T23:59:59.123456789Z"),
		"another zone":            replace(Epoch, "2024-02-29T23:59:59.5+05:30"),
		"a space for the T":       replace(Epoch, "2024-02-29 23:59:59Z"),
		"a space and a zone":      replace(Epoch, "2024-02-29 23:59:59.123456789+00:00"),
		"escapes":                 replace(`"id"`, `"\u0069\u0064"`),
		"escaped slashes and id":  replace(`"a.md"`, `"\u0061\u002Emd"`),
	}
}

func TestManifestsOfOtherProgramsDecode(t *testing.T) {
	want := manifestOf(oldDocuments)
	for name, text := range foreignManifests(t) {
		got, err := decodeManifest([]byte(text))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Manifest{}, "CreatedAt", "Selection")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if findings := got.Check(); len(findings) > 0 {
			t.Errorf("%s: got %v, want no findings", name, findings)
		}
		if isFirst := got.Selection == 1; isFirst != (name == "selection") {
			t.Errorf("%s: it is for selection %d", name, got.Selection)
		}
	}
}

// forSelection1 changes a manifest for selection 0 to selection 1.
func forSelection1(m Manifest) Manifest {
	m.Selection = 1
	return m
}

// withAbout returns m with information about the cache.
func withAbout(m Manifest) Manifest {
	m.About = document.About{
		Description: "Größe \"&\" <b> \\ 日本", BaseURL: "https://example.com/a/{path}", Product: document.Product{Name: "@a/b", Version: "1.0"},
	}
	return m
}

func withConverters(m Manifest) Manifest {
	m.Converters = "html/1, openapi/12"
	return m
}

func aboutOf(m Manifest) aboutFields { return newAboutFields(m.About, m.Converters) }

// The manifest for selection 0 does not mention its selection. Otherwise, the selection
// follows the documents, and information about the cache comes last. So the ends of
// manifests differ.
func TestAManifestEndsWithItsSelectionAndAbout(t *testing.T) {
	for _, docs := range [][]document.Document{nil, oldDocuments, oddDocuments} {
		m := manifestOf(docs)
		without, with := string(m.encode()), string(forSelection1(m).encode())
		if strings.Contains(without, `"selection"`) {
			t.Errorf("for selection 0: got %s", without)
		}
		const last = ",\n  \"selection\": {\n    \"spec\": \"1\"\n  }\n}"
		if want := strings.TrimSuffix(without, "\n}") + last; with != want {
			t.Errorf("for selection 1: got %s, want %s", with, want)
		}
		const about = ",\n  \"description\": \"Größe \\\"&\\\" <b> \\\\ 日本\",\n  \"base_url\": \"https://example.com/a/{path}\",\n  \"product\": \"@a/b\",\n  \"product_version\": \"1.0\"\n}"
		for _, m := range []Manifest{m, forSelection1(m)} {
			if got, want := string(withAbout(m).encode()), strings.TrimSuffix(string(m.encode()), "\n}")+about; got != want {
				t.Errorf("with about: got %s, want %s", got, want)
			}
		}
		all := []Manifest{m, forSelection1(m), withAbout(m), withAbout(forSelection1(m)), withConverters(m), withConverters(withAbout(forSelection1(m)))}
		for i, a := range all {
			for k, b := range all {
				if got := strings.HasSuffix(string(a.encode()), manifestEnd(b.Selection, newAboutFields(b.About, b.Converters))); got != (i == k) {
					t.Errorf("manifest %d ends like manifest %d: %v", i, k, got)
				}
			}
			if a.Version != m.Version {
				t.Error("the version covers the end of the manifest")
			}
		}
	}
}

// Other programs may use the same names for other fields. Values that no build would
// write are ignored.
func TestAnAboutOfAnotherProgramIsIgnored(t *testing.T) {
	ours := string(manifestOf(oldDocuments).encode())
	for value, want := range map[string]document.About{
		`"description": "a \u0062"`:                             {Description: "a b"},
		`"base_url": "https://example.com"`:                     {BaseURL: "https://example.com/"},
		`"base_url": "https://h/", "description": "d"`:          {BaseURL: "https://h/", Description: "d"},
		`"description": "", "base_url": ""`:                     {},
		`"description": null, "base_url": null`:                 {},
		`"description": {"en": ["a"]}, "base_url": 1.5`:         {},
		`"description": "a\nb", "base_url": "docs"`:             {},
		`"description": "` + strings.Repeat("x", 1001) + `"`:    {},
		`"description": "\u202e", "base_url": "https://a@b.c/"`: {},
		`"Description": "a"`:                                    {},
		`"product": "next"`:                                     {Product: document.Product{Name: "next"}},
		`"product_version": "16", "product": "next"`:            {Product: document.Product{Name: "next", Version: "16"}},
		`"product_version": "16"`:                               {},
		`"product": "a b", "product_version": "16"`:             {},
		`"product": "next", "product_version": "1\n6"`:          {Product: document.Product{Name: "next"}},
		`"product": {"name": "next"}, "product_version": 16`:    {},
	} {
		m, err := decodeManifest([]byte("{" + value + "," + ours[1:]))
		if err != nil || m.About != want {
			t.Errorf("%.60s: got %+v, %v, want %+v", value, m.About, err, want)
		}
	}
	for _, value := range []string{`"description": "\ud800"`, `"description": "a`, `"base_url": tru`, `"description": "a", "description": "a"`} {
		if _, err := decodeManifest([]byte("{" + value + "," + ours[1:])); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: got %v, want %v", value, err, fault.CacheInvalid)
		}
	}
}

// The converters tell how a cache was made, so a list that no build writes is an error.
func TestConvertersAreDecodedStrictly(t *testing.T) {
	ours := string(manifestOf(oldDocuments).encode())
	const want = "html/1, notebook/20"
	m, err := decodeManifest([]byte(`{"converters": "` + want + `",` + ours[1:]))
	if err != nil || m.Converters != want {
		t.Errorf("got %q, %v, want %q", m.Converters, err, want)
	}
	for _, value := range []string{
		`""`, `null`, `["html/1"]`, `1`, `"html"`, `"html/0"`, `"html/01"`, `"html/-1"`, `"HTML/1"`, `"/1"`,
		`"a/1/2"`, `"html/1, html/1"`, `"openapi/1, html/1"`, `"html/1,openapi/1"`, `"html/1, "`,
	} {
		if _, err := decodeManifest([]byte(`{"converters": ` + value + "," + ours[1:])); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: got %v, want %v", value, err, fault.CacheInvalid)
		}
	}
}

// The index has a single encoding for the description of a cache.
func FuzzDecodeAbout(f *testing.F) {
	seed(f, encodeAbout(aboutOf(withAbout(Manifest{}))), encodeAbout(aboutOf(withConverters(Manifest{}))), encodeAbout(aboutFields{Description: "d"}), []byte(`{"product":"next","product_version":"16"}`), []byte(`{"base_url":"https://h/a/"}`), []byte(`{"base_url":"https://h"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		about, err := decodeAbout(data)
		if err != nil {
			return
		}
		if again := encodeAbout(about); !bytes.Equal(again, data) {
			t.Errorf("got %+v, which encodes to %s, not %s", about, again, data)
		}
		if err := about.about().Check(); err != nil {
			t.Errorf("%+v: %v", about, err)
		}
	})
}

// A cache for a later selection is refused with an error that explains why.
func TestAnUnknownSelectionIsNamed(t *testing.T) {
	ours := string(forSelection1(manifestOf(oldDocuments)).encode())
	for value, want := range map[string]string{
		`{"spec": "2"}`:              `selection: spec: expected "1", got "2"`,
		`{"spec": "0"}`:              `selection: spec: expected "1", got "0"`,
		`{"spec": ""}`:               `selection: spec: expected "1", got ""`,
		`{"spec": 1}`:                `selection: spec: `,
		`{"spec": "1", "spec": "1"}`: `selection: `,
		`{"other": "1"}`:             `selection: spec is missing`,
		`{}`:                         `selection: spec is missing`,
		`"1"`:                        `selection: `,
		`1`:                          `selection: `,
		`null`:                       `selection: `,
		`["1"]`:                      `selection: `,
	} {
		text := withValue(t, ours, "selection", value)
		_, err := decodeManifest([]byte(text))
		if err == nil || fault.CodeOf(err) != fault.CacheInvalid || !strings.HasPrefix(err.Error(), ManifestPath+": "+want) {
			t.Errorf("%s: got %v, want %v: %s", value, err, fault.CacheInvalid, want)
		}
		path := filepath.Join(t.TempDir(), "cache")
		restore(t, path, treeFor(t, 1, oldDocuments))
		if err := os.WriteFile(filepath.Join(path, ManifestPath), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Manifest(); err == nil || fault.CodeOf(err) != fault.CacheInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %v: %s", value, err, fault.CacheInvalid, want)
		}
		if x, err := c.OpenIndex(); x != nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: got the index %v, %v, want %v", value, x, err, fault.CacheInvalid)
		}
		c.Close()
	}
	text := withValue(t, ours, "selection", `{"tomorrow": [1], "spec": "1"}`)
	if m, err := decodeManifest([]byte(text)); err != nil || m.Selection != 1 {
		t.Errorf("with another member: got selection %d, %v", m.Selection, err)
	}
}

// brokenManifests returns texts that readers of format v0 must not accept as manifests.
func brokenManifests(t testing.TB) map[string]string {
	t.Helper()
	ours := string(manifestOf(oldDocuments).encode())
	broken := map[string]string{"empty": "", "two": ours + ours, "text behind it": ours + "x", "a list": "[" + ours + "]", "null": "null"}
	replace := func(name, old, new string) {
		if !strings.Contains(ours, old) {
			t.Fatalf("%s: the manifest has no %q", name, old)
		}
		broken[name] = strings.Replace(ours, old, new, 1)
	}
	for _, field := range []string{
		"cache_version", "build_config", "version", "hash_algorithm", "created_at", "document_count", "documents", "id", "file",
	} {
		replace("no "+field, `"`+field+`"`, `"other"`)
		replace(field+" in another case", `"`+field+`"`, `"`+strings.ToUpper(field)+`"`)
		replace(field+" twice", `"`+field+`"`, `"`+field+`":"x","`+field+`"`)
		for _, value := range []string{"null", "true", "1.5", `["x"]`, `{"x":1}`, `"x"`, "1e400", "-", "9223372036854775808"} {
			if field != "file" && field != "id" || value != `"x"` {
				broken[field+" is "+value] = withValue(t, ours, field, value)
			}
		}
	}
	for _, version := range []string{"0", "2", "1.0", "", " 1", "01"} {
		replace("build_config.version "+version, `"version": "1"`, `"version": "`+version+`"`)
	}
	for _, hash := range []string{"SHA256", "sha512", "sha-256", "", "blake3"} {
		replace("hash "+hash, `"hash_algorithm": "sha256"`, `"hash_algorithm": "`+hash+`"`)
	}
	for _, at := range []string{"", "1970", "1970-01-01", "1970-01-01  00:00:00Z", "1970-01-01 00:00:00", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z", "now"} {
		replace("created_at "+at, Epoch, at)
	}
	for _, count := range []string{"5.0", "5e0", `"5"`, "05", "+5", "0x5"} {
		replace("document_count "+count, `"document_count": 5`, `"document_count": `+count)
	}
	for _, version := range []string{"sha256:" + strings.Repeat("A", 64), "sha256:" + strings.Repeat("a", 63), strings.Repeat("a", 64), "md5:" + strings.Repeat("a", 64)} {
		replace("cache_version "+version, manifestOf(oldDocuments).Version.String(), version)
	}
	return broken
}

// withValue returns the JSON text with another value for the first member with this
// name.
func withValue(t testing.TB, text, field, value string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, `"`+field+`": `)
	if !ok {
		t.Fatalf("there is no %s", field)
	}
	var old json.RawMessage
	if err := json.NewDecoder(strings.NewReader(after)).Decode(&old); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(text, `"`+field+`": `+string(old), `"`+field+`": `+value, 1)
}

func TestABrokenManifestIsCacheInvalid(t *testing.T) {
	for name, text := range brokenManifests(t) {
		_, err := decodeManifest([]byte(text))
		if err == nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: got %v, want %v\n%s", name, err, fault.CacheInvalid, text)
		}
	}
}

// A manifest that contradicts itself can only be opened by callers that look for damage.
func TestAManifestThatDisagreesWithItselfIsFound(t *testing.T) {
	for want, change := range map[string]func(m *Manifest){
		CountMismatch:   func(m *Manifest) { m.DocumentCount++ },
		OrderInvalid:    func(m *Manifest) { m.Documents[0], m.Documents[1] = m.Documents[1], m.Documents[0] },
		NameInvalid:     func(m *Manifest) { m.Documents[2].File = "documents/0" + m.Documents[2].File[len("documents/0"):] },
		VersionMismatch: func(m *Manifest) { m.Version[31] ^= 1 },
	} {
		m := manifestOf(oldDocuments)
		change(&m)
		if want == OrderInvalid {
			m.Version = versionOf(m.Documents)
		}
		path := filepath.Join(t.TempDir(), "cache")
		restore(t, path, treeOf(t, oldDocuments))
		if err := os.WriteFile(filepath.Join(path, ManifestPath), m.encode(), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Manifest(); err == nil || fault.CodeOf(err) != fault.CacheInvalid {
			t.Errorf("%s: got %v, want %v", want, err, fault.CacheInvalid)
		}
		if findings := manifestIn(t, c).Check(); len(findings) != 1 || findings[0].Code != want {
			t.Errorf("got %v, want one finding %s", findings, want)
		}
		c.Close()
	}
}

func TestAnIDThatStandsTwiceIsFound(t *testing.T) {
	m := manifestOf(oldDocuments)
	m.Documents[1].ID = m.Documents[0].ID
	m.Version = versionOf(m.Documents)
	if findings := m.Check(); len(findings) != 1 || findings[0].Code != OrderInvalid {
		t.Errorf("got %v, want one finding %s", findings, OrderInvalid)
	}
}
