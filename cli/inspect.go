package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/internal/wire"
)

const inspectHelp = `Inspect prints a summary of a cache as indented JSON: cache_version,
document_count, total_bytes (the sizes of its documents' files), and valid: true
if ` + "`context verify`" + ` finds no fault.

Inspect exits with 0 for a damaged cache, too, if it can read the manifest.`

func inspectCommand() *cobra.Command {
	return onCache(&cobra.Command{
		Use:        "inspect --cache DIR",
		Short:      "Print a cache's version, size and validity",
		SuggestFor: []string{"info", "stat"},
		Long:       inspectHelp,
	}, inspect)
}

func inspect(cmd *cobra.Command, path string, jobs int) error {
	c, err := cache.Open(path)
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := verify.Cache(cmd.Context(), c, jobs)
	if err != nil {
		return err
	}
	return print(cmd, append(wire.MarshalIndent(inspection{r.Version, r.DocumentCount, r.TotalBytes, r.IsValid()}), '\n'))
}

// An inspection is the output of inspect.
type inspection struct {
	CacheVersion  document.Version `json:"cache_version"`
	DocumentCount int64            `json:"document_count"`
	TotalBytes    int64            `json:"total_bytes"`
	Valid         bool             `json:"valid"`
}
