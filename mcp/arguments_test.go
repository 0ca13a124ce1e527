package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/answer/request"
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

// decode decodes an argument as the server of the contract does.
func decode(f request.Parameter, text string) error {
	const isLenient = false
	return request.Decode([]byte(fmt.Sprintf(`{%q:%s}`, f.Name, text)), []request.Parameter{f}, isLenient)
}

// A call can pass exactly what the schema of its tool allows.
func TestNumbersHaveTheBoundsOfTheirSchema(t *testing.T) {
	found := 0
	for _, tool := range allTools(t) {
		var schema struct {
			Properties map[string]struct{ Minimum, Maximum *int }
		}
		parameters := tool.begin().parameters
		if err := json.Unmarshal([]byte(request.Schema(parameters)), &schema); err != nil {
			t.Fatal(err)
		}
		for _, f := range parameters {
			bounds := schema.Properties[f.Name]
			if bounds.Minimum == nil {
				continue
			}
			found++
			passed := map[int]bool{*bounds.Minimum: true, *bounds.Minimum - 1: false}
			if bounds.Maximum != nil {
				passed[*bounds.Maximum], passed[*bounds.Maximum+1] = true, false
			}
			for n, isAllowed := range passed {
				if err := decode(f, fmt.Sprint(n)); (err == nil) != isAllowed {
					t.Errorf("%s of %s: got error %v for %d", f.Name, tool.name, err, n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no tool takes a number")
	}
}

// The server of the contract takes what the schema says, and nothing else.
func TestTheContractTakesNoOtherForms(t *testing.T) {
	cfg := Settings{CacheRoot: t.TempDir(), ProjectRoot: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	contract := contractSpec(cfg)
	defer contract.end()
	if contract.explains {
		t.Error("the contract reads arguments leniently")
	}
	refused := map[string][]string{
		"string": {`404`, `["x"]`, `true`}, "integer": {`"3"`, `""`, `[3]`, `3.5`}, "array": {`"x"`, `""`, `"[\"x\"]"`, `[["x"]]`, `{"x":"y"}`},
	}
	for _, tool := range contract.tools {
		for _, f := range tool.begin().parameters {
			_, schema, _ := strings.Cut(f.Property(), `"type":"`)
			kind, _, _ := strings.Cut(schema, `"`)
			if len(refused[kind]) == 0 {
				t.Errorf("%s of %s: no case", f.Name, tool.name)
			}
			for _, text := range refused[kind] {
				if err := decode(f, text); err == nil {
					t.Errorf("%s of %s: %s: got no error", f.Name, tool.name, text)
				}
			}
		}
	}
}
