package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/pipeline"
)

const buildHelp = `Build compiles the Markdown files (*.md) below --sources into a new cache.

The cache appears whole or not at all. A path that exists is left alone, unless
--force is given: then the cache there is replaced once the new one is whole, in
one step where the system can. What is not a cache is never replaced, and a cache
with documents not by one without, unless --allow-empty is given.

Hidden files count, .git does not. Patterns as in .gitignore, in .contextignore
at the root of the sources or given with --exclude, leave files out. Symlinks to
files count while they lead to a place below the sources; symlinked directories
are not entered.

With --force, documents that the old cache has of the same sources are not
compiled again; the new cache does not show it, and if nothing is new, the old
one stays as it is. That trusts the old cache not to be forged: --no-reuse does
not.

On standard output comes one line of JSON: cache_version, document_count, how
many documents were added, changed, removed or stayed, against the cache that
was replaced, and whether anything was written. SOURCE_DATE_EPOCH sets the
manifest's created_at.

--check writes nothing, with --force or without. It tells whether the cache is
up to date with the sources, and exits with status 8 if it is not. Its line of
JSON lists the documents that a build would add, change, remove, or make anew
with the same content (remade: the file is damaged, or of another version of
this program) or, if there are none, other files of the cache that would differ.`

func buildCommand() *cobra.Command {
	var cfg pipeline.Config
	var profile string
	var check bool
	cmd := &cobra.Command{
		Use:        "build --sources DIR --cache DIR",
		Short:      "Compile Markdown files into a cache",
		SuggestFor: []string{"compile", "index", "make"},
		GroupID:    cacheGroup,
		Long:       buildHelp,
		Example:    "  context build --sources docs --cache build/context --force --exclude 'drafts/'",
		Args:       noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			err := cmp.Or(checkPath("sources", cfg.Sources), checkPath("cache", cfg.Cache), checkJobs(cfg.Jobs))
			if err != nil {
				return err
			}
			if cfg.CreatedAt, err = createdAt(os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
				return err
			}
			if check {
				return checkBuild(cmd, cfg)
			}
			return build(cmd, cfg, profile)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&cfg.Sources, "sources", "", "compile the Markdown files below `DIR`")
	flags.StringVar(&cfg.Cache, "cache", "", "make the cache at `DIR`")
	flags.BoolVar(&cfg.Force, "force", false, "replace the cache if there is one")
	bindWord(cmd, &cfg.Selection, "selection", "0", "build for selection `N`: 0 (documents, the default) or 1 (sections, ranked)",
		word[int]{"0", 0}, word[int]{"1", 1})
	flags.BoolVar(&cfg.NoReuse, "no-reuse", false, "with --force, compile everything again")
	flags.BoolVar(&check, "check", false, "write nothing: exit with 8 unless the cache is up to date")
	flags.StringArrayVar(&cfg.Filter.Exclude, "exclude", nil, "leave out what matches `GLOB`, a pattern as in .gitignore (may be repeated)")
	flags.BoolVar(&cfg.Filter.Gitignore, "gitignore", false, "leave out what the .gitignore files of the sources leave out")
	flags.BoolVar(&cfg.AllowEmpty, "allow-empty", false, "with --force, replace documents even if there are none to compile")
	flags.BoolVar(&cfg.SkipInvalid, "skip-invalid", false, "leave out files that are not UTF-8, with a warning each")
	flags.StringVar(&profile, "profile", "", "write what the build spends its time on to `FILE`, as a Chrome trace")
	bindJobs(cmd, &cfg.Jobs)
	cmd.MarkFlagsMutuallyExclusive("check", "profile")
	cmd.MarkFlagsMutuallyExclusive("check", "no-reuse")
	require(cmd, "sources", "cache")
	completeDirectories(cmd, "sources", "cache")
	return cmd
}

func build(cmd *cobra.Command, cfg pipeline.Config, profile string) error {
	if err := keepOut(profile, cfg.Cache); err != nil {
		return err
	}
	collectLessOften()
	stderr := cmd.ErrOrStderr()
	trace, err := createTrace(profile)
	if err != nil {
		return err
	}
	bar := progressOn(stderr)
	cfg.Observer = observeAll(bar.observe, trace.observe)
	built, err := pipeline.Build(cmd.Context(), cfg)
	bar.clear()
	closed := trace.close()
	if err != nil {
		return err
	}
	warn(cmd, built.Warnings)
	if closed != nil {
		return fmt.Errorf("the cache is in its place, but its profile is not: %w", closed)
	}
	if err := printJSON(cmd, buildReportOf(built)); err != nil {
		return fault.Errorf(fault.IO, "the cache is in its place, but its report is not: write standard output: %w", fault.Cause(err))
	}
	return nil
}

// keepOut refuses a profile in the cache, which holds nothing but its own files.
func keepOut(profile, path string) error {
	if profile == "" {
		return nil
	}
	file, err := cache.Locate(profile)
	if err != nil {
		return err
	}
	dir, err := cache.Locate(path)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
		return usagef("--profile %s lies in the cache: choose another path", profile)
	}
	return nil
}

// collectLessOften lets the garbage of a build grow to a multiple of what is in
// use, which is little: it saves a third of the time. The limit is for hostile
// pages, which use much. GOGC and GOMEMLIMIT override the two.
func collectLessOften() {
	const percent, limit = 400, 768 << 20
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

// observeAll tells every observer of every event.
func observeAll(observers ...pipeline.Observer) pipeline.Observer {
	return func(e pipeline.Event) {
		for _, observe := range observers {
			observe(e)
		}
	}
}

// A buildReport is the output of build.
type buildReport struct {
	CacheVersion  document.Version `json:"cache_version"`
	DocumentCount int              `json:"document_count"`
	Replaced      document.Version `json:"replaced,omitzero"`
	Added         int              `json:"added"`
	Changed       int              `json:"changed"`
	Removed       int              `json:"removed"`
	Unchanged     int              `json:"unchanged"`
	Warnings      int              `json:"warnings"`
	Written       bool             `json:"written"`
}

func buildReportOf(r pipeline.Report) buildReport {
	return buildReport{
		CacheVersion:  r.Version,
		DocumentCount: r.Documents,
		Replaced:      r.Changes.Replaced,
		Added:         len(r.Changes.Added),
		Changed:       len(r.Changes.Changed),
		Removed:       len(r.Changes.Removed),
		Unchanged:     r.Changes.Unchanged,
		Warnings:      len(r.Warnings),
		Written:       r.Written,
	}
}

// checkBuild tells how the cache differs from what a build would make.
func checkBuild(cmd *cobra.Command, cfg pipeline.Config) error {
	compared, err := pipeline.Check(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	warn(cmd, compared.Warnings)
	if err := printJSON(cmd, checkReportOf(compared)); err != nil || compared.IsUpToDate() {
		return err
	}
	d := compared.Changes
	return fault.Errorf(fault.Stale,
		"%s is out of date (documents: %d added, %d changed, %d removed, %d remade; other files: %d): build it again with --force, and remove it first if that refuses",
		cfg.Cache, len(d.Added), len(d.Changed), len(d.Removed), len(d.Remade), len(compared.Files))
}

// A checkReport is the output of build --check.
type checkReport struct {
	CacheVersion document.Version `json:"cache_version"`
	UpToDate     bool             `json:"up_to_date"`
	Added        []document.ID    `json:"added"`
	Changed      []document.ID    `json:"changed"`
	Removed      []document.ID    `json:"removed"`
	Remade       []document.ID    `json:"remade"`
	Files        []string         `json:"files"`
}

func checkReportOf(c pipeline.Comparison) checkReport {
	d := c.Changes
	return checkReport{c.Version, c.IsUpToDate(), d.Added, d.Changed, d.Removed, d.Remade, c.Files}
}

// createdAt returns the manifest's created_at for the value of
// SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch):
// seconds since 1970, or nothing.
func createdAt(epoch string) (string, error) {
	if epoch == "" {
		return "", nil
	}
	const year9999 = 253402300799 // the last second that RFC 3339 can write
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > year9999 {
		return "", usagef("SOURCE_DATE_EPOCH is %q: want seconds since 1970, or unset it", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339), nil
}
