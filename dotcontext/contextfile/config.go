package contextfile

import (
	"math"
	"strconv"

	"github.com/contextcompiler/context/internal/yaml12"
)

// A Config is the part of a .context.config.yaml that concerns the scan. The
// fields on models and their providers are checked and forgotten.
type Config struct {
	Ignore    []string // more directories and files to leave out
	MaxDepth  *int     // nil if not given
	MinTokens *int64   // nil if not given
}

var levels = &shape{kind: yaml12.Int, limit: &limit{0, math.MaxInt32, "want a whole number from 0 to 2^31-1"}}

var configSchema = &shape{kind: yaml12.Map, closed: true, members: []member{
	optional("provider", oneOf("anthropic", "openai", "google", "ollama")),
	optional("model", aText),
	optional("api_key_env", aText),
	optional("ignore", textList),
	optional("max_depth", levels),
	optional("mode", oneOf("lean", "full")),
	optional("min_tokens", count),
}}

// ParseConfig reads the text of a .context.config.yaml, which may be empty. It
// returns the valid fields, and a Problem for each invalid one. A text that is not
// YAML gives the zero Config and one Problem.
func ParseConfig(text []byte) (c Config, problems []Problem) {
	t, err := parseTree(text)
	if err != nil {
		return c, err.(*InvalidError).Problems
	}
	if t.top == nil {
		return c, nil
	}
	if kind, _ := yaml12.KindOf(yaml12.Follow(t.top)); kind == yaml12.Null {
		return c, nil
	}
	r := newReader(t)
	for _, f := range r.read(t.top, configSchema, "").members {
		switch f.name {
		case "ignore":
			c.Ignore = f.texts()
		case "max_depth":
			n, _ := strconv.Atoi(f.text)
			c.MaxDepth = &n
		case "min_tokens":
			n, _ := strconv.ParseInt(f.text, 10, 64)
			c.MinTokens = &n
		}
	}
	return c, r.finish()
}
