package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/author/console"
)

func cachesCommand() *cobra.Command {
	return onCachesOf(&cobra.Command{
		Use:     "caches [--cache DIR]...",
		Short:   "Describe caches",
		Example: "  context caches\n  context caches --cache build/context --cache api=build/api",
		Args:    noArguments,
	}, &askedFlags{namesAlone: true}, console.HighlightList, func(ctx context.Context, set *answers.Set, _ []string) ([]byte, error) {
		var out bytes.Buffer
		members := set.Members()
		for _, m := range members {
			if err := agent.Describe(ctx, &out, m, len(members) <= agent.MostInDetail); err != nil {
				return nil, err
			}
		}
		return out.Bytes(), nil
	})
}
