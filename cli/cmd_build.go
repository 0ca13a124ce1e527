package cli

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func buildCommand() *cobra.Command {
	var b buildFlags
	cmd := &cobra.Command{
		Use:         "build [TARGET... | --sources DIR --cache DIR]",
		Short:       "Compile Markdown files into caches",
		Annotations: map[string]string{exitKey: "8: with --check, a cache is out of date."},
		SuggestFor:  []string{"compile", "index", "make"},
		Example:     "  context build --sources docs --cache build/context --exclude 'drafts/'",
		RunE:        runOn(b.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&b.cfg.Cache, "cache", "", "make the cache at `DIR`")
	flags.BoolVar(&b.cfg.Force, "force", false, "replace an existing cache, as targets always do")
	bindWord(cmd, &b.cfg.Selection, "selection", "", "build for selection `N`: 1 (sections) or 0 (pages)",
		flagWord[selection.Spec]{"0", selection.Spec0}, flagWord[selection.Spec]{"1", selection.Spec1})
	b.about.bind(cmd)
	flags.BoolVar(&b.cfg.NoReuse, "no-reuse", false, "compile everything, even what the old cache contains")
	flags.BoolVar(&b.check, "check", false, "write nothing; fail if a cache is out of date")
	flags.StringArrayVar(&b.cfg.Filter.Exclude, "exclude", nil, "leave out what matches `GLOB` (repeatable)")
	flags.BoolVar(&b.cfg.Filter.Gitignore, "gitignore", false, "leave out what git ignores")
	flags.BoolVar(&b.cfg.AllowEmpty, "allow-empty", false, "let an empty cache replace a cache with documents")
	flags.BoolVar(&b.cfg.SkipDrafts, "skip-drafts", false, "leave out pages that front matter marks as drafts")
	flags.BoolVar(&b.cfg.SkipInvalid, "skip-invalid", false, "leave out files with invalid contents, and warn")
	flags.Var((*shardFlag)(&b.cfg.Shard), "shard", "build part `I/N` of the pages, for `context merge`")
	flags.StringVar(&b.profile, "profile", "", "write what takes time to `FILE`, as a table")
	flags.BoolVar(&b.keepGoing, "keep-going", false, "build the other targets after a failure")
	bindAnnotations(cmd, "json")
	bindJobs(cmd, &b.cfg.Jobs)
	b.file.bind(cmd)
	b.file.bindAllow(cmd)
	cmd.ValidArgsFunction = b.file.complete
	b.sources.bind(cmd)
	markRare(cmd, "allow-convert", "no-reuse", "profile")
	exclude(cmd, "check", "profile")
	exclude(cmd, "check", "no-reuse")
	exclude(cmd, "check", "allow-convert")
	completeDirectories(cmd, "cache")
	return cmd
}

type buildFlags struct {
	cfg     pipeline.Config
	about   aboutFlags
	check   bool
	profile string

	sources   sourceFlags
	file      fileFlag
	keepGoing bool
}

// singleFlags make build work on a single cache. A Contextfile replaces them.
var singleFlags = []string{
	"sources", "sources-list", "cache", "ext", "exclude", "gitignore", "selection", "description", "base-url", "product", "skip-drafts", "skip-invalid",
}

func (b *buildFlags) run(cmd *cobra.Command, args []string) (err error) {
	if b.cfg.CreatedAt, err = createdAt(); err != nil {
		return err
	}
	isShardOfTarget := b.cfg.Shard.Of > 0 && len(args) == 1
	for _, flag := range singleFlags {
		if cmd.Flags().Changed(flag) && !(flag == "cache" && isShardOfTarget) {
			return b.one(cmd, args, flag)
		}
	}
	if !b.check {
		b.file.mayConvert(cmd)
	}
	single := []string{"context", "build", "--sources", "DIR", "--cache", "DIR"}
	if len(args) == 1 && isDirectory(args[0]) {
		single[3] = args[0]
	}
	_, chosen, err := b.file.choose(args, "create the file with `context new`, or build a single cache with `"+console.ShellLine(single)+"`")
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("cache") { // for a shard of a single target
		if err := checkOutput(cmd, b.cfg.Cache); err != nil {
			return err
		}
		chosen[0].Build.Cache = b.cfg.Cache
	}
	if b.check {
		return compareTargets(cmd, chosen, b.cfg)
	}
	return buildTargets(cmd, chosen, b)
}

// one builds or checks a single cache, as requested by the flag because.
func (b *buildFlags) one(cmd *cobra.Command, args []string, because string) error {
	for _, flag := range []string{"file", "keep-going", "allow-convert"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is for targets, and --%s for a single cache: pass only one of them", flag, because)
		}
	}
	if len(args) > 0 && isTarget(args[0]) {
		return usagef("--%s is for a single cache, but %s is a target: set its keys in %s instead", because, args[0], targets.Name)
	}
	err := cmp.Or(noArguments(cmd, args), b.sources.check(cmd, because))
	if err == nil && !cmd.Flags().Changed("cache") {
		err = usagef("missing --cache DIR")
	}
	if err := cmp.Or(err, checkOutput(cmd, b.cfg.Cache)); err != nil {
		return err
	}
	if b.cfg.Sources, err = b.sources.mounts(cmd); err != nil {
		return err
	}
	b.cfg.List = b.sources.list
	if b.cfg.About, err = b.about.parse(); err != nil {
		return err
	}
	if b.check {
		return compareBuild(cmd, b.cfg)
	}
	return build(cmd, b.cfg, b.profile)
}

// aboutFlags say what a cache tells agents.
type aboutFlags struct{ description, baseURL, product string }

func (f *aboutFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.description, "description", "", "tell agents in a line of `TEXT` what the pages are about")
	cmd.Flags().StringVar(&f.baseURL, "base-url", "", "tell agents where the pages are on the web, below `URL`")
	cmd.Flags().StringVar(&f.product, "product", "", "tell agents the `PRODUCT`, such as next@16.4.6")
}

func (f *aboutFlags) parse() (about document.About, err error) {
	if about.Description, err = document.ParseDescription(f.description); err != nil {
		return about, usagef("--description: %v", err)
	}
	if about.BaseURL, err = document.ParseBaseURL(f.baseURL); err != nil {
		return about, usagef("--base-url: %v", err)
	}
	if about.Product, err = document.ParseProduct(f.product); err != nil {
		return about, usagef("--product: %v", err)
	}
	return about, nil
}

func build(cmd *cobra.Command, cfg pipeline.Config, profilePath string) error {
	defer boundMemory()()
	stderr := cmd.ErrOrStderr()
	profile, err := createProfile(profilePath)
	if err != nil {
		return err
	}
	bar := console.ProgressOn(stderr)
	cfg.Observer = profile.watch("", bar.Of(0))
	built, err := pipeline.Build(cmd.Context(), cfg)
	bar.Clear()
	closed := profile.close()
	if err != nil {
		return withWarnings(cmd, err, built.Warnings)
	}
	warnOfFiles(cmd, "", built.Warnings)
	if closed != nil {
		return fmt.Errorf("the cache is complete, but its profile is not: %w", closed)
	}
	if err := printJSON(cmd, buildReportOf(targets.Target{}, built)); err != nil {
		return fmt.Errorf("the cache is complete, but its report is not: %w", err)
	}
	return nil
}

// withWarnings prints an error and the warnings of a build after it, which may tell why it failed.
func withWarnings(cmd *cobra.Command, err error, warnings []pipeline.Warning) error {
	if len(warnings) == 0 {
		return err
	}
	report(cmd, err)
	warnOfFiles(cmd, "", warnings)
	return &reportedError{err}
}

// warnOfFiles prints the warnings of a build, each after a prefix.
func warnOfFiles(cmd *cobra.Command, prefix string, warnings []pipeline.Warning) {
	for _, w := range warnings {
		say(cmd, console.Remark{Kind: "warning", File: w.File, Message: prefix + w.Text + extensionsHint(cmd, prefix, w)})
	}
}

// extensionsHint says how to include files counted by extension in a warning.
func extensionsHint(cmd *cobra.Command, prefix string, w pipeline.Warning) string {
	if w.Extensions == "" {
		return ""
	}
	taken, err := cmd.Flags().GetStringSlice("ext")
	if prefix != "" || err != nil {
		return "; add " + w.Extensions + " to the extensions of the target"
	}
	if len(taken) == 0 {
		taken = []string{"md"}
	}
	return "; take them with --ext " + strings.ReplaceAll(strings.Join(taken, ","), " ", "") + "," + w.Extensions
}

// A buildReport is the output of build, a line for each target.
type buildReport struct {
	Target        string           `json:"target,omitzero"` // "" for a single cache, as Cache
	Cache         string           `json:"cache,omitzero"`
	CacheVersion  document.Version `json:"cache_version"`
	DocumentCount int              `json:"document_count"`
	Selection     int              `json:"selection"`
	Replaced      document.Version `json:"replaced,omitzero"`
	Added         int              `json:"added"`
	Changed       int              `json:"changed"`
	Removed       int              `json:"removed"`
	Unchanged     int              `json:"unchanged"`
	Warnings      int              `json:"warnings"`
	Written       bool             `json:"written"`
}

func buildReportOf(t targets.Target, r pipeline.Report) buildReport {
	return buildReport{
		Target:        t.Name,
		Cache:         t.Build.Cache,
		CacheVersion:  r.Version,
		DocumentCount: r.Documents,
		Selection:     r.Selection.Number(),
		Replaced:      r.Changes.Replaced,
		Added:         len(r.Changes.Added),
		Changed:       len(r.Changes.Changed),
		Removed:       len(r.Changes.Removed),
		Unchanged:     r.Changes.Unchanged,
		Warnings:      len(r.Warnings),
		Written:       r.Written,
	}
}

// compareBuild compares the cache with the result of a build, but writes nothing.
func compareBuild(cmd *cobra.Command, cfg pipeline.Config) error {
	compared, err := pipeline.Check(cmd.Context(), cfg)
	if err != nil {
		return withWarnings(cmd, err, compared.Warnings)
	}
	warnOfFiles(cmd, "", compared.Warnings)
	return cmp.Or(printJSON(cmd, comparisonReportOf(targets.Target{}, compared)), targets.Staleness(cfg, compared))
}

// A comparisonReport is the output of build --check, a line for each target.
type comparisonReport struct {
	Target       string           `json:"target,omitzero"` // "" for a single cache, as Cache
	Cache        string           `json:"cache,omitzero"`
	CacheVersion document.Version `json:"cache_version"`
	Selection    int              `json:"selection"` // of the cache
	UpToDate     bool             `json:"up_to_date"`
	Added        []document.ID    `json:"added"`
	Changed      []document.ID    `json:"changed"`
	Removed      []document.ID    `json:"removed"`
	Remade       []document.ID    `json:"remade"`
	Files        []string         `json:"files"`
}

func comparisonReportOf(t targets.Target, c pipeline.Comparison) comparisonReport {
	d := c.Changes
	return comparisonReport{t.Name, t.Build.Cache, c.Version, c.Selection.Number(), c.IsUpToDate(), d.Added, d.Changed, d.Removed, d.Remade, c.Files}
}

// createdAt returns the created_at of the manifest for SOURCE_DATE_EPOCH, which is seconds
// since 1970 or "" (https://reproducible-builds.org/specs/source-date-epoch).
func createdAt() (string, error) {
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return "", nil
	}
	const year9999 = 253402300799 // the last second in RFC 3339
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || seconds < 0 || seconds > year9999 {
		return "", usagef("SOURCE_DATE_EPOCH: expected seconds since 1970, got %q: correct or unset it", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339), nil
}

func buildTargets(cmd *cobra.Command, chosen []targets.Target, flags *buildFlags) error {
	defer boundMemory()()
	profile, err := createProfile(flags.profile)
	if err != nil {
		return err
	}
	bar := console.ProgressOn(cmd.ErrOrStderr())
	cfgs := configsOf(chosen, flags.cfg)
	for i := range cfgs {
		cfgs[i].Observer = profile.watch(chosen[i].Name, bar.Of(i))
	}
	table := tableOn(cmd, "Target", "Documents", "Added", "Changed", "Removed", "Result", "Cache")
	failed := eachTarget(cmd, chosen, flags.keepGoing, targets.BuildEach(cmd.Context(), flags.cfg.Jobs, chosen, cfgs),
		func(t targets.Target, built pipeline.Report, err error) error {
			bar.Clear()
			warnOfFiles(cmd, t.Name+": ", built.Warnings)
			r := buildReportOf(t, built)
			switch {
			case err != nil:
				return cmp.Or(table.row(failureOf(t, err), t.Name, "", "", "", "", "failed", t.Build.Cache), err)
			case built.Written:
				return table.row(r, t.Name, r.DocumentCount, r.Added, r.Changed, r.Removed, "built", r.Cache)
			}
			return table.row(r, t.Name, r.DocumentCount, 0, 0, 0, "up to date", r.Cache)
		})
	bar.Clear()
	return cmp.Or(failed, table.print(), profile.close())
}

// compareTargets compares the caches of targets with the results of a build.
func compareTargets(cmd *cobra.Command, chosen []targets.Target, common pipeline.Config) error {
	cfgs := configsOf(chosen, common)
	table := tableOn(cmd, "Target", "Added", "Changed", "Removed", "Remade", "Result", "Cache")
	const keepGoing = true // it writes nothing
	failed := eachTarget(cmd, chosen, keepGoing, targets.CheckEach(cmd.Context(), common.Jobs, chosen, cfgs),
		func(t targets.Target, compared pipeline.Comparison, err error) error {
			warnOfFiles(cmd, t.Name+": ", compared.Warnings)
			if err != nil {
				return cmp.Or(table.row(failureOf(t, err), t.Name, "", "", "", "", "failed", t.Build.Cache), err)
			}
			r, d := comparisonReportOf(t, compared), compared.Changes
			result := "up to date"
			if !compared.IsUpToDate() {
				result = "out of date"
			}
			return cmp.Or(
				table.row(r, t.Name, len(d.Added), len(d.Changed), len(d.Removed), len(d.Remade), result, r.Cache),
				targets.Staleness(t.Build, compared),
			)
		})
	return cmp.Or(failed, table.print())
}

func configsOf(chosen []targets.Target, common pipeline.Config) (cfgs []pipeline.Config) {
	for _, t := range chosen {
		cfg := t.Build
		cfg.NoReuse, cfg.AllowEmpty, cfg.CreatedAt, cfg.Shard = common.NoReuse, common.AllowEmpty, common.CreatedAt, common.Shard
		cfgs = append(cfgs, cfg)
	}
	return cfgs
}
