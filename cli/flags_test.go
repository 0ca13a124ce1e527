package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lists are the flags that take several values, by the name of the command.
var lists = map[string][]string{
	"ask":     {"cache", "have", "path", "target", "where"},
	"build":   {"exclude", "ext", "sources"},
	"caches":  {"cache", "target"},
	"eval":    {"budget", "fail-under", "path", "where"},
	"explain": {"path", "where"},
	"grep":    {"cache", "path", "target", "where"},
	"outline": {"cache", "path", "target", "where"},
	"read":    {"cache", "target"},
	"resolve": {"path", "where"},
	"search":  {"cache", "path", "target", "where"},
	"serve":   {"allow-host", "cache", "target"},
	"show":    {"filter"},
}

// Every flag of every command refuses a second value, except the flags in lists.
func TestAFlagForOneValueIsGivenOnce(t *testing.T) {
	checked := 0
	eachCommand(rootCommand(), func(path []string, cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			checked++
			given := "--" + flag.Name + "=" + anyValue(flag)
			var stdout, stderr bytes.Buffer
			status := Main(t.Context(), slices.Concat(path, []string{given, given}), &stdout, &stderr)
			refused := strings.HasPrefix(stderr.String(), "error: --"+flag.Name+" is given twice: give it once (see `")
			if want := !slices.Contains(lists[cmd.Name()], flag.Name); refused != want {
				t.Errorf("%v --%s: refused is %t, want %t: %s", path, flag.Name, refused, want, &stderr)
			}
			if refused && (status != statusUsage || stdout.Len() > 0) {
				t.Errorf("%v --%s: got status %d and printed %q", path, flag.Name, status, &stdout)
			}
		})
	})
	if checked < 40 {
		t.Errorf("only %d flags are checked", checked)
	}
}

func eachCommand(cmd *cobra.Command, visit func(path []string, cmd *cobra.Command)) {
	eachCommandBelow(nil, cmd, visit)
}

func eachCommandBelow(path []string, cmd *cobra.Command, visit func([]string, *cobra.Command)) {
	visit(path, cmd)
	for _, sub := range cmd.Commands() {
		eachCommandBelow(append(slices.Clone(path), sub.Name()), sub, visit)
	}
}

// anyValue returns a value that the flag takes. No command uses it: flags that are
// lists belong to commands that lack another flag here.
func anyValue(flag *pflag.Flag) string {
	if f, ok := flag.Value.(interface{ names() []string }); ok {
		return f.names()[0]
	}
	return map[string]string{"bool": "true", "int": "1", "duration": "1s", "share": "1", "string": flag.DefValue}[flag.Value.Type()]
}
