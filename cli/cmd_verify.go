package cli

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/internal/project/targets"
)

func verifyCommand() *cobra.Command {
	cmd := onCache(&cobra.Command{
		Use:         "verify [--cache DIR]",
		Short:       "Check a cache against every rule of the format",
		Example:     "  context verify\n  context verify --cache build/context",
		Annotations: map[string]string{exitKey: "5: there are findings."},
	}, runVerify)
	bindAnnotations(cmd, "json")
	return cmd
}

func runVerify(cmd *cobra.Command, flags *cacheFlags, jobs int) error {
	defer boundMemory()()
	if flags.chosen == nil {
		r, err := verify.Path(cmd.Context(), flags.path, jobs)
		if err != nil {
			return err
		}
		return printVerified(cmd, flags.path, r, verificationOf(targets.Target{}, r))
	}
	each := func(yield func(verify.Diagnosis, error) bool) {
		for _, t := range flags.chosen {
			if !yield(verify.Path(cmd.Context(), t.Build.Cache, jobs)) {
				return
			}
		}
	}
	const keepGoing = true // it writes nothing
	return eachTarget(cmd, flags.chosen, keepGoing, each, func(t targets.Target, r verify.Diagnosis, err error) error {
		if err != nil {
			return cmp.Or(printJSON(cmd, failureOf(t, err)), err)
		}
		return printVerified(cmd, t.Build.Cache, r, verificationOf(t, r))
	})
}

// printVerified prints the result for the cache at a path. It fails if there are findings.
func printVerified(cmd *cobra.Command, path string, r verify.Diagnosis, json any) error {
	if annotates(cmd) {
		sayFindings(cmd, path, r.Findings)
	}
	err := cache.Damaged(path, r.Err())
	if len(r.Findings) == 1 && r.Findings[0].Code == cache.ManifestMissing {
		err = cache.Foreign(path)
	}
	return cmp.Or(printJSON(cmd, json), err)
}

func verificationOf(t targets.Target, r verify.Diagnosis) verification {
	v := verification{t.Name, t.Build.Cache, &r.Version, r.DocumentCount, &r.Selection, r.IsValid(), r.Findings}
	if r.Version == (document.Version{}) {
		v.CacheVersion, v.Selection = nil, nil
	}
	return v
}

// sayFindings prints an annotation for each finding about the cache at a path.
func sayFindings(cmd *cobra.Command, path string, findings []cache.Finding) {
	for _, f := range findings {
		file := filepath.Join(path, filepath.FromSlash(f.Path))
		say(cmd, console.Remark{Kind: "error", File: file, Message: f.Err().Error()})
	}
}

// A verification is the output of verify, a line for each target.
type verification struct {
	Target        string            `json:"target,omitzero"` // "" for a single cache, as Cache
	Cache         string            `json:"cache,omitzero"`
	CacheVersion  *document.Version `json:"cache_version"` // nil if the manifest cannot be read
	DocumentCount int64             `json:"document_count"`
	Selection     *int              `json:"selection"` // nil if the manifest cannot be read
	Valid         bool              `json:"valid"`
	Findings      []cache.Finding   `json:"findings"`
}
