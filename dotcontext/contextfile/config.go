package contextfile

import (
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// A Config is what a .context.config.yaml says of the scan. What it says of
// models and their providers is checked and forgotten.
type Config struct {
	Ignore    []string // more directories and files to leave out
	MaxDepth  *int     // nil if not given
	MinTokens *int64   // nil if not given
}

var levels = &shape{kind: integer, limit: &limit{0, math.MaxInt32, "want a whole number from 0 to 2^31-1"}}

var configSchema = &shape{kind: object, closed: true, members: []member{
	optional("provider", oneOf("anthropic", "openai", "google", "ollama")),
	optional("model", aText),
	optional("api_key_env", aText),
	optional("ignore", textList),
	optional("max_depth", levels),
	optional("mode", oneOf("lean", "full")),
	optional("min_tokens", count),
}}

// ParseConfig reads the text of a .context.config.yaml, which may be empty. What
// is right in it is returned, and what is wrong is a Problem each. What is no
// YAML at all gives the zero Config and one Problem.
func ParseConfig(text []byte) (Config, []Problem) {
	t, err := parseTree(text)
	if err != nil {
		return Config{}, err.(*InvalidError).Problems
	}
	if t.top == nil || isNull(t.top) {
		return Config{}, nil
	}
	r := newReader(t)
	v := r.read(t.top, configSchema, "")
	return newConfig(v), r.finish()
}

func isNull(node *yaml.Node) bool {
	k, _ := kindOf(follow(node))
	return k == nothing
}

func newConfig(v value) Config {
	var c Config
	for _, f := range v.members {
		switch f.name {
		case "ignore":
			for _, pattern := range f.elements {
				c.Ignore = append(c.Ignore, pattern.text)
			}
		case "max_depth":
			n, _ := strconv.Atoi(f.text)
			c.MaxDepth = &n
		case "min_tokens":
			n, _ := strconv.ParseInt(f.text, 10, 64)
			c.MinTokens = &n
		}
	}
	return c
}
