package contextfile

import (
	"math"
	"strconv"

	"github.com/contextcompiler/context/internal/base/yaml12"
)

// A ScanConfig is the part of a .context.config.yaml for the scan. The fields about
// models and their providers are checked, but not kept.
type ScanConfig struct {
	Ignore    []string // more directories and files to leave out
	MaxDepth  int      // levels of directories below the root, 10 by default
	MinTokens int64    // of a directory's sources, 4096 by default
}

var levels = &shape{kind: yaml12.Int, limit: &limit{0, math.MaxInt32, "a whole number from 0 to 2^31-1"}}

var configSchema = &shape{kind: yaml12.Map, closed: true, members: []fieldShape{
	optional("provider", oneOf("anthropic", "openai", "google", "ollama")),
	optional("model", aText),
	optional("api_key_env", aText),
	optional("ignore", textList),
	optional("max_depth", levels),
	optional("mode", oneOf("lean", "full")),
	optional("min_tokens", count),
}}

// ParseConfig reads the text of a .context.config.yaml, which may be empty. It
// returns the valid fields, and a problem for each invalid field. Text that is not
// YAML results in the defaults and one problem.
func ParseConfig(text []byte) (c ScanConfig, problems []yaml12.Problem) {
	c = ScanConfig{MaxDepth: 10, MinTokens: 4096}
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
			c.MaxDepth, _ = strconv.Atoi(f.text)
		case "min_tokens":
			c.MinTokens, _ = strconv.ParseInt(f.text, 10, 64)
		}
	}
	return c, r.finish()
}
