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
		i.Target, i.Cache = t.Name, t.Build.Cache
		out = append(append(out, wire.MarshalIndent(i)...), '\n')
	}
	return print(cmd, out)
}

func inspectionOf(ctx context.Context, path string, jobs int) (i inspection, err error) {
	c, err := cache.Open(path)
	if err != nil {
		return i, err
	}
	defer c.Close()
	r, err := verify.Cache(ctx, c, jobs)
	product := r.About.Product
	return inspection{"", "", r.Version, r.DocumentCount, r.TotalBytes, r.IsValid(), product.Name, product.Version}, err
}

// An inspection is the output of inspect, an object for each target.
type inspection struct {
	Target         string           `json:"target,omitzero"` // "" for a single cache, as Cache
	Cache          string           `json:"cache,omitzero"`
	CacheVersion   document.Version `json:"cache_version"`
	DocumentCount  int64            `json:"document_count"`
	TotalBytes     int64            `json:"total_bytes"`
	Valid          bool             `json:"valid"`
	Product        string           `json:"product,omitzero"`
	ProductVersion string           `json:"product_version,omitzero"`
}
