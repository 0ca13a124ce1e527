package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag of every command refuses a second value, except those that are repeatable or
// take a list.
func TestAFlagForOneValueIsGivenOnce(t *testing.T) {
	checked := 0
	eachCommand(rootCommand(), func(path []string, cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			checked++
			given := "--" + flag.Name + "=" + anyValue(flag)
			var stdout, stderr bytes.Buffer
			status := Main(t.Context(), slices.Concat(path, []string{given, given}), &stdout, &stderr)
			refused := strings.HasPrefix(stderr.String(), "error: --"+flag.Name+" is given twice: give it once (see `")
			if want := !strings.HasSuffix(flag.Usage, "(repeatable)") && flag.Value.Type() != "stringSlice"; refused != want {
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

// A flag with a letter that is missing, or two that are swapped, is still understood.
func TestAMistypedFlagIsNamed(t *testing.T) {
	checked := 0
	for _, program := range []func() *cobra.Command{rootCommand, contractCommand} {
		eachCommand(program(), func(path []string, cmd *cobra.Command) {
			cmd.InitDefaultHelpFlag()
			cmd.Flags().VisitAll(func(flag *pflag.Flag) {
				refusing := program() // shared by all mistakes, because none of them sets a flag
				for _, typed := range slipsOf(flag.Name) {
					if cmd.Flags().Lookup(typed) != nil {
						continue
					}
					checked++
					var stdout, stderr bytes.Buffer
					status := runCommand(t.Context(), refusing, append(slices.Clone(path), "--"+typed), &stdout, &stderr)
					want := "error: unknown flag: --" + typed + "; did you mean --" + flag.Name
					next, found := strings.CutPrefix(stderr.String(), want)
					if !found || next[:1] != ";" && next[:1] != " " || status != statusUsage || stdout.Len() > 0 {
						t.Errorf("%s --%s: got status %d and %s", cmd.CommandPath(), typed, status, &stderr)
					}
				}
			})
		})
	}
	if checked < 1000 {
		t.Errorf("only %d slips are checked", checked)
	}
}

// slipsOf returns a name without one of its letters, and with two neighbours swapped.
func slipsOf(name string) (typed []string) {
	for i := range name {
		typed = append(typed, name[:i]+name[i+1:])
		if i > 0 && name[i-1] != name[i] {
			typed = append(typed, name[:i-1]+name[i:i+1]+name[i-1:i]+name[i+1:])
		}
	}
	return slices.DeleteFunc(typed, func(text string) bool { return strings.HasPrefix(text, "-") })
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
	return map[string]string{"bool": "true", "int": "1", "duration": "1s", "share": "1", "shard": "1/2", "string": flag.DefValue}[flag.Value.Type()]
}
