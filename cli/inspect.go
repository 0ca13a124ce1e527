package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/internal/wire"
)

const inspectHelp = `Inspect prints a short account of a cache as indented JSON: cache_version,
document_count, total_bytes (the sizes of its documents' files), and valid, which
says whether ` + "`context verify`" + ` finds nothing wrong.

A cache that is damaged is no failure as long as its manifest can be read.`

func inspectCommand() *cobra.Command {
	var path string
	var jobs int
	cmd := &cobra.Command{
		Use:        "inspect --cache DIR",
		Short:      "Print a cache's version, size and validity",
		SuggestFor: []string{"info", "stat"},
		GroupID:    cacheGroup,
		Long:       inspectHelp,
		Args:       noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if err := cmp.Or(checkPath("cache", path), checkJobs(jobs)); err != nil {
				return err
			}
			c, err := cache.Open(path)
			if err != nil {
				return err
			}
			defer c.Close()
			report, err := verify.Cache(cmd.Context(), c, jobs)
			if err != nil {
				return err
			}
			return print(cmd, encodeInspection(report))
		}),
	}
	bindCache(cmd, &path)
	bindJobs(cmd, &jobs)
	return cmd
}

func encodeInspection(r verify.Report) []byte {
	e := wire.Indented()
	e.BeginObject()
	e.Key("cache_version")
	e.String(r.Version.String())
	e.Key("document_count")
	e.Int(r.DocumentCount)
	e.Key("total_bytes")
	e.Int(r.TotalBytes)
	e.Key("valid")
	e.Bool(r.IsValid())
	e.EndObject()
	e.Newline()
	return e.Bytes()
}
