package cli

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/resolve"
)

const cachesHelp = `Caches prints a line for each cache: its name, pages, sections, selection, version and
description. For up to 10 caches, two more lines list values that --path and --where can
take, with the number of pages: the folders with the most pages, and the keys of front
matter that have few values on many pages.`

func cachesCommand() *cobra.Command {
	return onCachesOf(&cobra.Command{
		Use:     "caches [--cache DIR]...",
		Short:   "Describe caches",
		Long:    cachesHelp,
		Example: "  context caches\n  context caches --cache build/context --cache api=build/api",
		Args:    noArguments,
	}, &askedFlags{namesAlone: true}, console.HighlightList, func(ctx context.Context, set *resolve.Set, _ []string) ([]byte, error) {
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
