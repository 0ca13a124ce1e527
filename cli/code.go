package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
)

// bindCode binds the flag that limits an answer to blocks of code. Its value can be left out,
// so it follows an equals sign.
func bindCode(cmd *cobra.Command, code *agent.CodeFilter) {
	f := &codeFlag{code: code}
	cmd.Flags().Var(f, "code", "choose only blocks of code in `LANGUAGES`, such as go,bash")
	cmd.Flags().Lookup("code").NoOptDefVal = agent.AnyCode
}

// codeFlag is the value of a flag for blocks of code.
type codeFlag struct {
	code  *agent.CodeFilter
	given string
}

func (f *codeFlag) String() string { return f.given }
func (f *codeFlag) Type() string   { return "string" }

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
