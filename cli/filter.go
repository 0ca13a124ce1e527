package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/selection"
)

// parseBudget parses a --budget, which may begin with a "+".
func parseBudget(typed string) (uint64, error) {
	budget, err := strconv.ParseUint(strings.TrimPrefix(typed, "+"), 10, 64)
	if err != nil {
		return 0, fault.Errorf(fault.InvalidBudget, "--budget: expected an integer of 0 or more, of at most 64 bits, got %q", typed)
	}
	return budget, nil
}

// bindMethod binds the flags for the selection and its unit.
func bindMethod(cmd *cobra.Command, asked *selection.Request) {
	bindWord(cmd, &asked.Selection, "selection", "", "select by selection `N`: 0 or 1",
		flagWord[selection.Spec]{"0", selection.Spec0}, flagWord[selection.Spec]{"1", selection.Spec1})
	bindWord(cmd, &asked.Unit, "unit", "", "select by `UNIT`: document or section",
		flagWord[selection.Unit]{"document", selection.Documents}, flagWord[selection.Unit]{"section", selection.Sections})
	bindParameters(cmd, request.Select(asked)...)
}

// bindParameters binds the flags of a request.
func bindParameters(cmd *cobra.Command, parameters ...request.Parameter) {
	for _, f := range parameters {
		if f.Usage == "" {
			continue
		}
		var value pflag.Value = f
		if list := f.List(); list != nil {
			value = listFlag{f, list}
		}
		flag := cmd.Flags().VarPF(value, f.Flag(), f.Letter, f.Usage)
		flag.NoOptDefVal = f.Alone()
	}
}

// A listFlag is a parameter that can be given several times.
type listFlag struct {
	request.Parameter
	list *[]string
}

// Append implements [pflag.SliceValue].
func (f listFlag) Append(text string) error { return f.Set(text) }

// Replace implements [pflag.SliceValue].
func (f listFlag) Replace(texts []string) error { *f.list = texts; return nil }

// GetSlice implements [pflag.SliceValue].
func (f listFlag) GetSlice() []string { return *f.list }

// checkCode refuses a language after a --code without a value, because pflag would take it
// for the first word of the query.
func checkCode(args []string) error {
	for i, arg := range args {
		switch {
		case arg == "--":
			return nil
		case arg == "--code" && i+1 < len(args) && agent.IsLanguages(args[i+1]):
			return usagef("write --code=%s for code in that language, or --code=%s %[1]s for that word", args[i+1], agent.AnyCode)
		}
	}
	return nil
}
