package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/answer/agent"
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
func bindMethod(cmd *cobra.Command, request *selection.Request) {
	bindWord(cmd, &request.Selection, "selection", "", "select by selection `N`: 0 or 1",
		flagWord[selection.Spec]{"0", selection.Spec0}, flagWord[selection.Spec]{"1", selection.Spec1})
	bindWord(cmd, &request.Unit, "unit", "", "select by `UNIT`: document or section",
		flagWord[selection.Unit]{"document", selection.Documents}, flagWord[selection.Unit]{"section", selection.Sections})
	bindFilter(cmd, &request.Filter)
	bindMinScore(cmd, &request.MinScore, 0)
}

// bindFilter binds the flags for choosing pages.
func bindFilter(cmd *cobra.Command, filter *selection.Filter) {
	cmd.Flags().StringArrayVar(&filter.Paths, "path", nil,
		"choose pages that match `GLOB` (repeatable)")
	cmd.Flags().StringArrayVar(&filter.Where, "where", nil,
		"choose pages by front matter `KEY=VALUE` (repeatable)")
}

func bindMinScore(cmd *cobra.Command, share *uint32, byDefault uint32) {
	*share = byDefault
	cmd.Flags().Var((*shareFlag)(share), "min-score", "drop scores below `SHARE` of the best, 0 to 1")
}

// checkFilter refuses patterns and fields if they cannot match any page.
func checkFilter(filter selection.Filter) error {
	for _, p := range filter.Paths {
		if strings.TrimSpace(strings.TrimPrefix(p, "!")) == "" || strings.ContainsAny(p, "\n\x00") {
			return usagef("--path: expected a pattern such as 'guide/**' or '!drafts/', got %q", p)
		}
	}
	for _, field := range filter.Where {
		if strings.Index(field, "=") < 1 {
			return usagef("--where: expected KEY=VALUE, such as topic=guide, got %q", field)
		}
	}
	return nil
}

// A shareFlag is a share from 0 to 1, in units of 1/[selection.One].
type shareFlag uint32

// Set implements pflag.Value. It accepts at most six digits after the point.
func (f *shareFlag) Set(typed string) error {
	whole, fraction, _ := strings.Cut(typed, ".")
	n, err := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 32)
	if err != nil || n > selection.One || whole == "" || len(fraction) > 6 {
		return errors.New("expected a number from 0 to 1 with at most six digits after the point, such as 0.3")
	}
	*f = shareFlag(n)
	return nil
}

// String implements pflag.Value.
func (f *shareFlag) String() string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", float64(*f)/selection.One), "0"), ".")
}

// Type implements pflag.Value.
func (f *shareFlag) Type() string { return "share" }

// bindCode binds the flag for answers of code blocks only. Because its value is optional,
// it must follow an equals sign.
func bindCode(cmd *cobra.Command, code *agent.CodeFilter) {
	f := &codeFlag{code: code}
	cmd.Flags().Var(f, "code", "choose blocks of code, such as in `LANGUAGES` go,bash")
	cmd.Flags().Lookup("code").NoOptDefVal = agent.AnyCode
}

type codeFlag struct {
	code  *agent.CodeFilter
	given string
}

func (f *codeFlag) String() string { return f.given }

func (f *codeFlag) Type() string { return "string" }

func (f *codeFlag) Set(text string) (err error) {
	f.given = text
	*f.code, err = agent.ParseCode(text)
	return err
}

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
