package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
)

func cachesCommand() *cobra.Command {
	return onCachesOf(&cobra.Command{
		Use:     "caches [--cache DIR]...",
		Short:   "Describe caches",
		Example: "  context caches\n  context caches --cache build/context --cache api=build/api",
		Args:    noArguments,
	}, &askedFlags{namesAlone: true}, func(ctx context.Context, set *answers.Set, _ []string) (commandOutput, error) {
		var out bytes.Buffer
		members := set.Members()
		for _, m := range members {
			if err := agent.Describe(ctx, &out, m, len(members) <= agent.MostInDetail); err != nil {
				return commandOutput{}, err
			}
		}
		return commandOutput{text: out.Bytes()}, nil
	})
}
