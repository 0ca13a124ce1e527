package targets

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// readSchema returns the schema that editors use.
func readSchema(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/contextfile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(text, schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema, resolved
}

// check returns the objections of the schema to a text, read like an editor does.
func check(schema *jsonschema.Resolved, text string) error {
	var file any
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		return err
	}
	encoded, err := json.Marshal(file)
	if err != nil {
		return err
	}
	var instance any
	if err := json.Unmarshal(encoded, &instance); err != nil {
		return err
	}
	return schema.Validate(instance)
}

// A judged is a part of a Contextfile.
type judged struct{ target, source, sources, check, shared string }

// text returns the Contextfile.
func (j judged) text() string {
	if j.shared != "" {
		return "version: 1\ncaches:\n  docs: {" + j.shared + "}\n"
	}
	source, target := "{dir: docs, "+j.source+"}", j.target
	switch {
	case j.sources != "":
		source = j.sources
	case j.source == "":
		source = "docs"
	}
	if j.check != "" {
		target = "checks: [{" + j.check + "}]"
	}
	return "version: 1\ncaches:\n  docs: {sources: [" + source + "], " + target + "}\n"
}

func TestTheSchemaAndTheParserAgree(t *testing.T) {
	_, schema := readSchema(t)
	const files = "queries: q, qrels: r, "
	valid := []judged{
		{},
		{target: "description: A line., base_url: 'https://example.com/a', gitignore: true, drafts: false, output: ../o, selection: 0"},
		{target: "selection: 1, base_url: 'http://localhost:80/blob/{path}'"},
		{target: "description: 'é — \"quoted\" # no comment'"},
		{target: "product: next"},
		{target: "product: '@ai-sdk/react', version: 2.0.1"},
		{target: "product: next, version: 16.10"},
		{target: "product: next, version: '16'"},
		{source: "at: api/v2, extensions: [md, mdx]"},
		{source: "markdown: mdx"},
		{sources: "{package: 'npm:@ai-sdk/react', exclude: [/CHANGELOG.md], at: ai}"},
		{sources: "{package: 'go:github.com/spf13/cobra', include: [/site/]}, {package: 'python:fastapi'}"},
		{sources: "{git: 'https://example.org/docs', ref: v1.0, dir: content/en}, {git: 'git@example.org:docs.git'}"},
		{sources: "{archive: 'https://example.org/docs-3.14.tar.bz2', dir: docs, extensions: [mdx]}"},
		{sources: "{convert: {run: [make, 'DIR={out}'], inputs: [/docs/, '!*.png']}, dir: html, at: manual}"},
		{sources: "{convert: {run: [a, b, '{out}'], dir: docs, inputs: [a], scripts: [conf.py], env: {A: '', B_1: x}, version: '5.3', timeout: 1h30m}, include: ['*.html']}"},
		{source: "include: ['**/*.md', '!drafts/'], exclude: [' a', '/b c/']"},
		{check: files},
		{check: files + "baseline: b, tolerance: 0.01, budgets: [1, 0, 18446744073709551615], fail_under: {ndcg@10: 0.8, 'budgeted_recall@1': 1}"},
		{check: files + "fail_under: {recall@10: '0.5', mrr@10: 0}"},
		{check: files + "fail_under: {}"},
		{shared: "from: 'oci://example.com/team/docs:v1'"},
		{shared: "from: 'oci-layout:usb/caches:v1', output: elsewhere, checks: [{queries: q, qrels: r}]"},
	}
	invalid := []judged{
		{target: "description: ''"},
		{target: "description: 5"},
		{target: "description: null"},
		{target: `description: "two\nlines"`},
		{target: "description: " + strings.Repeat("x", 1001)},
		{target: "base_url: example.com"},
		{target: "product: ''"},
		{target: "product: 3"},
		{target: "product: Visual Studio"},
		{target: "product: next@16"},
		{target: "product: " + strings.Repeat("x", 251)},
		{target: "product: next, version: ''"},
		{target: "product: next, version: 16 beta"},
		{target: "product: next, version: true"},
		{target: "product: next, version: '@16'"},
		{source: "version: 16"},
		{target: "base_url: 'https://example.com/?q'"},
		{target: "base_url: 'https://a@example.com/'"},
		{target: "base_url: 'https:///a'"},
		{target: "gitignore: 'true'"},
		{target: "drafts: 1"},
		{target: "output: ''"},
		{target: "output: [a]"},
		{target: "selection: 2"},
		{target: "selection: '1'"},
		{target: "checks: []"},
		{target: "unknown: 1"},
		{target: "from: 'oci://example.com/docs:v1'"},
		{shared: "from: ../cache"},
		{shared: "from: 'https://example.com/docs:v1'"},
		{shared: "from: 'oci://user:secret@example.com/docs:v1'"},
		{shared: "from: 'oci://example.com/docs:v1', description: Another one"},
		{shared: "output: elsewhere"},
		{target: "output: 'oci://example.com/docs:v1'"},
		{source: "at: ''"},
		{source: "at: /a"},
		{source: "at: a//b"},
		{source: "markdown: md"},
		{source: "markdown: true"},
		{source: "extensions: []"},
		{source: "extensions: [.md]"},
		{source: "extensions: md"},
		{source: "include: []"},
		{source: "include: ['!a']"},
		{source: "include: ['#a']"},
		{source: "exclude: ['  ']"},
		{source: `exclude: ["a\nb"]`},
		{source: "exclude: ['']"},
		{source: "include: ['*.md'], extensions: [md]"},
		{source: "package: 'npm:next'"},
		{source: "ref: v1"},
		{sources: "{package: next}"},
		{sources: "{package: 'cargo:serde'}"},
		{sources: "{package: 'npm:next', ref: v1}"},
		{sources: "{git: '--upload-pack=x'}"},
		{sources: "{git: ../docs}"},
		{sources: "{git: 'https://example.org/docs', ref: '--upload-pack=x'}"},
		{sources: "{git: 'https://example.org/docs', archive: 'https://example.org/docs.zip'}"},
		{sources: "{archive: 'https://example.org/docs.exe'}"},
		{sources: "{archive: 'https://example.org/docs.zip', ref: v1}"},
		{sources: "{at: x}"},
		{sources: "{convert: make}"},
		{sources: "{convert: {run: [make, '{out}']}}"},
		{sources: "{convert: {inputs: [a]}}"},
		{sources: "{convert: {run: 'make {out}', inputs: [a]}}"},
		{sources: "{convert: {run: [make, out], inputs: [a]}}"},
		{sources: "{convert: {run: ['{out}'], inputs: [a]}}"},
		{sources: "{convert: {run: [make, '{out}', ''], inputs: [a]}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: ['!a']}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], env: [A=1]}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], env: {A: 1}}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], env: {A=B: x}}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], timeout: 10}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], timeout: soon}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], version: 5.3}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], unknown: 1}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a]}, package: 'npm:next'}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a]}, git: 'https://example.org/docs'}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a]}, ref: v1}"},
		{source: "unknown: 1"},
		{check: "queries: q"},
		{check: "qrels: q"},
		{check: files + "tolerance: 0.1"},
		{check: files + "baseline: b, tolerance: 1.1"},
		{check: files + "baseline: b, tolerance: -0.1"},
		{check: files + "budgets: []"},
		{check: files + "budgets: [-1]"},
		{check: files + "budgets: [1.5]"},
		{check: files + "budgets: ['1']"},
		{check: files + "fail_under: {map: 0.5}"},
		{check: files + "fail_under: {ndcg@10: 2}"},
		{check: files + "fail_under: {ndcg@10: '0.12345'}"},
		{check: files + "fail_under: {ndcg@10: high}"},
		{check: files + "fail_under: [ndcg@10]"},
		{check: files + "unknown: 1"},
	}
	texts := map[string]bool{
		"version: 1\ncaches: {a_b-c.D: {sources: [x]}}": true,
		"version: 2\ncaches: {a: {sources: [x]}}":       false,
		"version: '1'\ncaches: {a: {sources: [x]}}":     false,
		"caches: {a: {sources: [x]}}":                   false,
		"version: 1":                                    false,
		"version: 1\ncaches: {}":                        false,
		"version: 1\ncaches: {.a: {sources: [x]}}":      false,
		"version: 1\ncaches: {a b: {sources: [x]}}":     false,
		"version: 1\ncaches: {a: {}}":                   false,
		"version: 1\ncaches: {a: {sources: []}}":        false,
		"version: 1\ncaches: {a: {sources: x}}":         false,
		"version: 1\ncaches: {a: {sources: ['']}}":      false,
		"version: 1\ncaches: {a: {sources: [{}]}}":      false,
		"version: 1\ncaches: {a: {sources: [3]}}":       false,
		"version: 1\ncaches: [a]":                       false,
		"version: 1\ncaches: {a: {sources: [x]}}\nb: 1": false,
		"[]": false,
	}
	for _, j := range valid {
		texts[j.text()] = true
	}
	for _, j := range invalid {
		texts[j.text()] = false
	}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		if _, err := parse("F", []byte(text), Environment{}); (err == nil) != texts[text] {
			t.Errorf("the parser: got %v, want it valid: %t, for\n%s", err, texts[text], text)
		}
		if err := check(schema, text); (err == nil) != texts[text] {
			t.Errorf("the schema: got %v, want it valid: %t, for\n%s", err, texts[text], text)
		}
	}
}

// Whatever the schema refuses, the parser refuses. It also refuses some of the rest, of
// which no schema can know.
func TestTheParserIsStricterThanTheSchema(t *testing.T) {
	_, schema := readSchema(t)
	for _, j := range []judged{
		{source: "at: ../a"},
		{sources: "{package: 'npm:../a'}"},
		{sources: "{git: 'https://user:secret@example.org/docs'}"},
		{sources: "{git: 'https://example.org/docs', dir: ../a}"},
		{sources: "{git: 'https://example.org/docs', ref: a..b}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a]}}, {convert: {run: [make, '{out}'], inputs: [a]}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a]}, dir: ../a}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], dir: /a}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], env: {PATH: /bin}}}"},
		{sources: "{convert: {run: [make, '{out}'], inputs: [a], timeout: 25h}}"},
		{target: "output: docs"},
		{target: "version: 16"},
		{check: "queries: q, qrels: r, fail_under: {ndcg@10: 0.12345}"},
		{check: "queries: q, qrels: r, fail_under: {budgeted_recall@7: 0.1}"},
	} {
		if err := check(schema, j.text()); err != nil {
			t.Errorf("the schema: got %v for\n%s", err, j.text())
		}
		if _, err := parse("F", []byte(j.text()), Environment{}); err == nil {
			t.Errorf("the parser takes\n%s", j.text())
		}
	}
}

// Both know the same keys. The parser names its keys when it meets another.
func TestTheSchemaHasTheKeysOfTheParser(t *testing.T) {
	schema, _ := readSchema(t)
	const stranger = "qqqqqqqqqqqqqqqq"
	for name, test := range map[string]struct {
		properties map[string]*jsonschema.Schema
		text       string
	}{
		"file":   {schema.Properties, stranger + ": 1"},
		"target": {schema.Definitions["target"].Properties, judged{target: stranger + ": 1"}.text()},
		"source": {schema.Definitions["source"].Properties, judged{source: stranger + ": 1"}.text()},
		"check":  {schema.Definitions["check"].Properties, judged{check: stranger + ": 1"}.text()},
		"command": {
			schema.Definitions["command"].Properties,
			judged{sources: "{convert: {run: [make, '{out}'], inputs: [a], " + stranger + ": 1}}"}.text(),
		},
	} {
		_, err := parse("F", []byte(test.text), Environment{})
		_, list, found := strings.Cut(fmt.Sprint(err), "unknown key; expected ")
		if !found {
			t.Fatalf("%s: got %v, want the keys", name, err)
		}
		want := strings.Split(list, ", ")
		if got := slices.Sorted(maps.Keys(test.properties)); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the parser %v", name, got, want)
		}
		for key, property := range test.properties {
			if property.Description == "" {
				t.Errorf("%s: %s has no description for editors", name, key)
			}
		}
	}
}

// A new Contextfile leads editors to the schema of the release that wrote it. Other programs
// write no address, because nothing need be there.
func TestOnlyReleasesWriteAddresses(t *testing.T) {
	schema, _ := readSchema(t)
	for version, is := range map[string]bool{"v1.2.3": true, "v1.2.3-0.20260102150405-abcdefabcdef": false, "v1.2.3+dirty": false, "(devel)": false} {
		text := string(Proposal{}.Text(version))
		address := strings.Replace(schema.ID, "/main/", "/"+version+"/", 1)
		if got := strings.HasPrefix(text, "# yaml-language-server: $schema="+address+"\n"); got != is || strings.Contains(text, "https://") != is {
			t.Errorf("%s: got the address %t, want %t, in\n%s", version, got, is, text)
		}
	}
}

// What context new writes passes, with the keys in its comments too.
func TestTheSchemaTakesProposals(t *testing.T) {
	_, schema := readSchema(t)
	dir := t.TempDir()
	writeFiles(t, dir, "docs/a.mdx", "packages/a/docs/a.md", "packages/b/docs/b.md")
	p, err := Propose(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text := string(p.Text("v1.2.3"))
	for _, full := range []string{text, strings.NewReplacer("    # base_url", "    base_url", "    # checks", "    checks", "    #   ", "      ").Replace(text)} {
		if err := check(schema, full); err != nil {
			t.Errorf("the schema: %v for\n%s", err, full)
		}
		if _, err := parse("F", []byte(full), Environment{}); err != nil {
			t.Errorf("the parser: %v for\n%s", err, full)
		}
	}
}
