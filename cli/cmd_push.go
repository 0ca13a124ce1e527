package cli

import (
	"github.com/opencontainers/go-digest"
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/caches/cache"
)

type pushFlags struct {
	cache   cacheFlags
	network networkFlags
	options registry.PushOptions
	report  string // file, or ""
}

func pushCommand() *cobra.Command {
	var flags pushFlags
	cmd := &cobra.Command{
		Use:         "push [--cache DIR] REFERENCE",
		Short:       "Push a cache to a registry or an OCI layout",
		Annotations: map[string]string{exitKey: "4: no cache; 5: invalid cache; 6: the registry refuses."},
		Example: `  context push --cache build/context oci://ghcr.io/example/docs:v1
  context push --cache build/context oci-layout:usb/caches:v1`,
		Args: oneReference,
		RunE: runOn(flags.run),
	}
	flags.cache.bind(cmd)
	flags.network.bind(cmd)
	bindWord(cmd, &flags.options.Plain, "compression", "zstd", "compress with `METHOD`: zstd or none",
		flagWord[bool]{"zstd", false}, flagWord[bool]{"none", true})
	cmd.Flags().BoolVar(&flags.options.NoVerify, "no-verify", false, "don't check the cache first")
	cmd.Flags().StringVar(&flags.report, "report", "", "attach the report of context eval in `FILE`")
	return cmd
}

// oneReference expects the reference of a cache as the only argument.
func oneReference(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("missing REFERENCE, such as oci://HOST/NAME:TAG")
	case len(args) > 1:
		return usagef("expected a single REFERENCE, got %d arguments", len(args))
	}
	return nil
}

// A transferReport is the output of push and pull.
type transferReport struct {
	Reference     string        `json:"reference"` // with the digest
	Digest        digest.Digest `json:"digest"`
	CacheVersion  digest.Digest `json:"cache_version"`
	DocumentCount int64         `json:"document_count"`
	Selection     int           `json:"selection"`
	Bytes         int64         `json:"bytes"` // of the artifact
}

func printTransfer(cmd *cobra.Command, ref registry.ArtifactRef, a *registry.Artifact) error {
	d := a.Digest()
	return printJSON(cmd, transferReport{ref.At(d).String(), d, a.Packed.CacheVersion, a.Packed.DocumentCount, a.Packed.Selection, a.Size()})
}

func (f *pushFlags) run(cmd *cobra.Command, args []string) error {
	ref, err := parseRef(args[0])
	if err != nil {
		return err
	}
	if ref.Digest != "" || ref.Tag == "" {
		return usagef("a push needs a tag and must not name a digest: write oci://HOST/NAME:TAG")
	}
	if err := f.cache.choose(cmd); err != nil {
		return err
	}
	dir := f.cache.path
	if chosen := f.cache.chosen; len(chosen) > 1 {
		return usagef("push takes a single cache, but there are %d targets: choose a single target, for example with --target %s", len(chosen), chosen[0].Name)
	} else if len(chosen) == 1 {
		dir = chosen[0].Build.Cache
	}
	if dir, err = localCache(cmd, dir); err != nil {
		return err
	}
	report, err := f.readReport(cmd, dir)
	if err != nil {
		return err
	}
	client := f.network.client(cmd)
	var finish func()
	client.Observe, finish = console.TransferOn(cmd.ErrOrStderr(), "pushing")
	artifact, err := client.Push(cmd.Context(), dir, ref, f.options)
	finish()
	if err == nil && report != nil {
		_, err = client.Attach(cmd.Context(), ref.At(artifact.Digest()), report)
	}
	if err != nil {
		return err
	}
	return printTransfer(cmd, ref, artifact)
}

// readReport reads the file of --report, which must be about the cache in a directory.
func (f *pushFlags) readReport(cmd *cobra.Command, dir string) ([]byte, error) {
	if !cmd.Flags().Changed("report") {
		return nil, nil
	}
	data, err := files.ReadInput(cmd.Context(), f.report, registry.MaxReport)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read the report %s: %w", f.report, fault.Cause(err))
	}
	report, err := evaluation.ParseBaseline(f.report, data)
	if err != nil {
		return nil, usagef("--report %v", err)
	}
	s, err := cache.SummaryOf(dir)
	if err != nil {
		return nil, err
	}
	if s.Version != report.Cache {
		return nil, usagef("--report %s is about the cache %s, not about %s: run `context eval` again", f.report, report.Cache, s.Version)
	}
	return data, nil
}
