package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
)

func inspectCommand() *cobra.Command {
	return onCache(&cobra.Command{
		Use:        "inspect [--cache DIR]",
		Short:      "Print a cache's version, size and validity",
		Example:    "  context inspect --cache build/context",
		SuggestFor: []string{"info", "stat"},
	}, inspect)
}

func inspect(cmd *cobra.Command, flags *cacheFlags, jobs int) error {
	if flags.chosen == nil {
		i, err := inspectionOf(cmd.Context(), flags.path, jobs)
		if err != nil {
			return err
		}
		return print(cmd, append(wire.MarshalIndent(i), '\n'))
	}
	var out []byte
	for _, t := range flags.chosen {
		i, err := inspectionOf(cmd.Context(), t.Build.Cache, jobs)
		if err != nil {
			return aboutTarget(cmd, t, err)
		}
		out = append(append(out, wire.MarshalIndent(inspectedTarget{t.Name, t.Build.Cache, i})...), '\n')
	}
	return print(cmd, out)
}

// An inspectedTarget is the output of inspect for a target.
type inspectedTarget struct {
	Target string `json:"target"`
	Cache  string `json:"cache"`
	inspection
}

func inspectionOf(ctx context.Context, path string, jobs int) (i inspection, err error) {
	c, err := cache.Open(path)
	if err != nil {
		return i, err
	}
	defer c.Close()
	r, err := verify.Cache(ctx, c, jobs)
	return inspection{r.Version, r.DocumentCount, r.TotalBytes, r.IsValid(), r.About.Product.Name, r.About.Product.Version}, err
}

// An inspection is the output of inspect.
type inspection struct {
	CacheVersion   document.Version `json:"cache_version"`
	DocumentCount  int64            `json:"document_count"`
	TotalBytes     int64            `json:"total_bytes"`
	Valid          bool             `json:"valid"`
	Product        string           `json:"product,omitzero"`
	ProductVersion string           `json:"product_version,omitzero"`
}
