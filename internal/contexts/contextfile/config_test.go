package contextfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

func TestParseConfigKeepsWhatIsRight(t *testing.T) {
	defaults := contextfile.ScanConfig{MaxDepth: 10, MinTokens: 4096}
	for _, test := range []struct {
		text     string
		want     contextfile.ScanConfig
		problems []string
	}{
		{"", defaults, nil},
		{"# nothing\n", defaults, nil},
		{"~\n", defaults, nil},
		{
			"provider: ollama\nmodel: m\napi_key_env: KEY\nmode: lean\nignore: [a, \"b/\"]\nmax_depth: 3\nmin_tokens: 1099511627776\n",
			contextfile.ScanConfig{Ignore: []string{"a", "b/"}, MaxDepth: 3, MinTokens: 1 << 40},
			nil,
		},
		{"min_tokens: 1.099511627776e12\nmax_depth: 0x3\n", contextfile.ScanConfig{MaxDepth: 3, MinTokens: 1 << 40}, nil},
		{
			"max_depth: -1\nmin_tokens: -1\nignore: [a, 5, b]\nprovider: other\nnonsense: 1\n",
			contextfile.ScanConfig{Ignore: []string{"a", "b"}, MaxDepth: 10, MinTokens: -1},
			[]string{
				"line 1: max_depth: expected a whole number from 0 to 2^31-1, got -1; correct the number",
				"line 3: ignore[1]: expected text, got a number (5); put it in quotes",
				"line 4: provider: unknown word other; write anthropic, openai, google or ollama",
				"line 5: nonsense: unknown key; remove it or correct its name",
			},
		},
		{
			"ignore: vendor\nmax_depth: 1.5\nmin_tokens: \"5\"\n",
			defaults,
			[]string{
				"line 1: ignore: expected a list, got text (vendor); begin each entry with a hyphen and a space",
				"line 2: max_depth: expected a whole number from 0 to 2^31-1, got 1.5; correct the number",
				"line 3: min_tokens: expected a whole number of at most 2^53-1, got text (5); write a whole number of at most 2^53-1 without quotes",
			},
		},
		{
			"max_depth: 4294967299\n",
			defaults,
			[]string{"line 1: max_depth: expected a whole number from 0 to 2^31-1, got 4294967299; correct the number"},
		},
		{
			"max_depth: 3\nmax_depth: 4\n",
			defaults,
			[]string{"line 2: max_depth: duplicate key, first in line 1; remove one of the two"},
		},
		{
			"- a\n",
			defaults,
			[]string{"line 1: expected a mapping, got a list; write it as names and values: " +
				"provider, model, api_key_env, ignore, max_depth, mode, min_tokens"},
		},
		{
			"ignore: [\n",
			defaults,
			[]string{"line 2: not YAML: did not find expected node content; correct the indentation or the quotes near this line"},
		},
	} {
		got, problems := contextfile.ParseConfig([]byte(test.text))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
		var lines []string
		for _, p := range problems {
			lines = append(lines, p.String())
		}
		if diff := cmp.Diff(test.problems, lines); diff != "" {
			t.Errorf("%q: %s", test.text, diff)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("ignore: [a]\nmax_depth: 3\nmin_tokens: 4096\nprovider: openai\n"))
	f.Add([]byte("max_depth: -1\nignore: {a: b}\nx: y\n"))
	for _, text := range vectors(f, "invalid") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		config, problems := contextfile.ParseConfig(text)
		for i, p := range problems {
			if p.Message == "" || strings.Contains(p.String(), "\n") || i > 0 && p.Line < problems[i-1].Line {
				t.Errorf("problem %d of %q", i, fmt.Sprint(problems))
			}
		}
		if config.MaxDepth < 0 {
			t.Errorf("got max_depth %d, want no negative number", config.MaxDepth)
		}
	})
}
