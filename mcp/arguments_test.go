package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"

	"github.com/contextcompiler/context/internal/agent"
)

// allTools returns the tools of both servers.
func allTools(t *testing.T) []tool {
	t.Helper()
	cfg := Settings{CacheRoot: t.TempDir(), ProjectRoot: t.TempDir(), Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	agents, contract := agentSpec(cfg, true), contractSpec(cfg)
	t.Cleanup(agents.end)
	t.Cleanup(contract.end)
	return append(agents.tools, contract.tools...)
}

// read decodes an argument as its tool does.
func (a argument) read(text string) (value any, err error) {
	args := parseArguments([]byte(fmt.Sprintf(`{%q:%s}`, a.name, text)), []argument{a})
	switch a.kind {
	case textKind:
		value = args.text(a)
	case listKind, anyListKind:
		value = args.list(a)
	case flagKind:
		value = args.flag(a)
	case integerKind:
		value = args.integer(a)
	case shareKind:
		value = args.share(a)
	}
	return value, args.err
}

// A call can pass exactly what the schema of its tool allows.
func TestNumbersHaveTheBoundsOfTheirSchema(t *testing.T) {
	found := 0
	for _, tool := range allTools(t) {
		var schema struct {
			Properties map[string]struct{ Minimum, Maximum *int }
		}
		if err := json.Unmarshal([]byte(schemaOf(tool.arguments)), &schema); err != nil {
			t.Fatal(err)
		}
		for _, a := range tool.arguments {
			bounds := schema.Properties[a.name]
			if bounds.Minimum == nil {
				continue
			}
			found++
			passed := map[int]bool{*bounds.Minimum: true, *bounds.Minimum - 1: false}
			if bounds.Maximum != nil {
				passed[*bounds.Maximum], passed[*bounds.Maximum+1] = true, false
			}
			for n, isAllowed := range passed {
				if _, err := a.read(fmt.Sprint(n)); (err == nil) != isAllowed {
					t.Errorf("%s of %s: got error %v for %d", a.name, tool.name, err, n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no tool takes a number")
	}
}

// Models often send a single text where a tool takes a list.
func TestASingleTextIsAListOfOne(t *testing.T) {
	for _, a := range []argument{cachesArgument, pathArgument, whereArgument, idsArgument, haveArgument} {
		for text, want := range map[string][]string{`"a=b"`: {"a=b"}, `["a=b"]`: {"a=b"}, `[]`: {}} {
			if got, err := a.read(text); err != nil || !slices.Equal(got.([]string), want) {
				t.Errorf("%s: %s: got %q and error %v, want %q", a.name, text, got, err, want)
			}
		}
		_, err := a.read(`5`)
		if _, isArgument := errors.AsType[agent.ArgumentError](err); !isArgument {
			t.Errorf("%s: 5: got error %v, want what is expected", a.name, err)
		}
	}
}
