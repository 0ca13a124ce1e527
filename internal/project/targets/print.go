package targets

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// releasedHead is the head of a file proposed by a release. It contains the tag twice, so
// editors find the JSON schema of the same release.
const releasedHead = `# yaml-language-server: $schema=https://raw.githubusercontent.com/contextcompiler/context/%[1]s/docs/contextfile.schema.json
#
# The caches of this project. context build makes them, context check checks them, and
# context serve serves them to agents. The keys are described at
# https://github.com/contextcompiler/context/blob/%[1]s/docs/contextfile.md
`

// unreleasedHead contains no address, because nothing is published there.
const unreleasedHead = `# The caches of this project. context build makes them, context check checks them, and
# context serve serves them to agents. docs/contextfile.md in the repository of context
# describes the keys.
`

// proposalKeys are keys whose values only the user knows.
const proposalKeys = `    # Where the pages are on the web, so that answers have links:
    # base_url: https://docs.example.com/
    # What context check measures, and the minimum that it requires:
    # checks:
    #   - queries: eval/queries.jsonl
    #     qrels: eval/qrels.tsv
    #     fail_under: {'ndcg@10': 0.8}
`

var release = lazy.Regexp(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// Text returns the Contextfile with comments. If version is a release, the comments link
// to its documentation and schema.
func (p Proposal) Text(version string) []byte {
	var b bytes.Buffer
	if release().MatchString(version) {
		fmt.Fprintf(&b, releasedHead, version)
	} else {
		b.WriteString(unreleasedHead)
	}
	b.WriteString("version: 1\ncaches:\n")
	for i, t := range p.Targets {
		fmt.Fprintf(&b, "  %s:\n", scalar(t.Name))
		if t.Description == "" {
			b.WriteString("    # description: What agents find here, in a line\n")
		} else {
			fmt.Fprintf(&b, "    description: %s\n", scalar(t.Description))
		}
		b.WriteString("    sources:\n")
		for _, s := range t.Sources {
			s.print(&b)
		}
		if t.Sources[0].Package == "" {
			b.WriteString("    gitignore: true\n")
		}
		fmt.Fprintf(&b, "    output: %s\n", scalar(outputs+"/"+t.Name))
		if i == 0 {
			b.WriteString(proposalKeys)
		}
	}
	return b.Bytes()
}

func (s ProposedSource) print(b *bytes.Buffer) {
	list := func(texts []string) string { return "[" + strings.Join(texts, ", ") + "]" }
	fields := []KeyValue{{"package", quoted(s.Package)}}
	if s.Package == "" {
		fields = []KeyValue{{"dir", scalar(s.Dir)}, {"at", quoted(s.At)}}
		if !slices.Equal(s.Extensions, []string{"md"}) {
			fields = append(fields, KeyValue{"extensions", list(s.Extensions)})
		}
		if s.Exclude != nil {
			fields = append(fields, KeyValue{"exclude", list(s.Exclude)})
		}
	}
	fields[0].Value += " # " + counted(s.Pages)
	printFields(b, "      - ", "        ", fields)
}

func counted(pages int) string {
	if pages == 1 {
		return "1 page"
	}
	return fmt.Sprintf("%d pages", pages)
}

// scalar returns a text as a YAML scalar on a single line.
func scalar(text string) string {
	node := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		node.Style = yaml.DoubleQuotedStyle
	}
	encoded, err := yaml.Marshal(&node)
	if err != nil {
		panic("targets: a text without YAML: " + err.Error())
	}
	return strings.TrimSuffix(string(encoded), "\n")
}

// quoted is scalar for a text that can be missing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return scalar(text)
}
