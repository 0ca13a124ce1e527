package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/verify"
	"github.com/contextcompiler/context/internal/wire"
)

const verifyHelp = `Verify checks a cache against every rule of the format: the manifest in itself,
the cache version, the index, every document's file and the hash of its content,
and that nothing else lies in the cache.

It prints one line of JSON: cache_version, document_count, valid, and findings,
each with a code, the path below the cache, and a message. The exit status is 5
if there are findings.`

func verifyCommand() *cobra.Command {
	var path string
	var jobs int
	cmd := &cobra.Command{
		Use:        "verify --cache DIR",
		Short:      "Check a cache against every rule of the format",
		SuggestFor: []string{"check"},
		GroupID:    cacheGroup,
		Long:       verifyHelp,
		Args:       noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			if err := cmp.Or(checkPath("cache", path), checkJobs(jobs)); err != nil {
				return err
			}
			r, err := verify.Path(cmd.Context(), path, jobs)
			if err != nil {
				return err
			}
			return cmp.Or(print(cmd, encodeVerification(r)), cache.Damaged(path, r.Err()))
		}),
	}
	bindCache(cmd, &path)
	bindJobs(cmd, &jobs)
	return cmd
}

func encodeVerification(v verify.Report) []byte {
	var e wire.Encoder
	e.BeginObject()
	e.Key("cache_version")
	if v.Version == (document.Version{}) {
		e.Literal("null")
	} else {
		e.String(v.Version.String())
	}
	e.Key("document_count")
	e.Int(v.DocumentCount)
	e.Key("valid")
	e.Bool(v.IsValid())
	e.Key("findings")
	e.BeginArray()
	for _, f := range v.Findings {
		e.BeginObject()
		e.Key("code")
		e.String(f.Code)
		e.Key("path")
		e.String(f.Path)
		e.Key("message")
		e.String(f.Message)
		e.EndObject()
	}
	e.EndArray()
	e.EndObject()
	e.Newline()
	return e.Bytes()
}
