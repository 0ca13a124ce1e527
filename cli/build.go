package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/replace"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

const buildHelp = `Build compiles the Markdown files (*.md) below --sources into a new cache.

Without --sources, build makes the caches that a Contextfile.yml declares, or those of
the TARGETs, and replaces old ones. It takes the file of the working directory or the
nearest one above, or --file. Several targets are built at once. Their reports come in
the order of the file, one line of JSON each, or a table on a terminal. The first
failure in this order ends the build and gives the exit status; later targets may or
may not be built. With --keep-going, build makes all other targets. The flags of a
single cache, such as --ext, have no meaning for targets: the file says it all.

--sources may be repeated. With --sources PREFIX=DIR, the paths of the pages below DIR
begin with PREFIX/, in IDs, in messages and for --exclude. Two pages with one ID are an
error. The order of the directories does not matter. --ext md,mdx,markdown takes files
with these extensions, in this case. Warnings count files with other extensions that
look like documentation.

--sources-list names every page itself, for builds in a sandbox: each line of the file
is the path of a page in the cache, a tab, and the file to read, which may lie anywhere
and be a symlink. The cache has the same bytes as one of a tree with these paths.

The cache appears whole or not at all. Build never touches a path that exists,
unless --force is given. Then the new cache replaces the old one when it is
complete, in one step where the system can. Build never replaces a directory that
is neither a cache nor empty. With --allow-empty, an empty cache may replace one
with documents.

Build reads hidden files, but not .git. Patterns as in .gitignore leave files
out: put them into .contextignore at the root of a source directory, or give
--exclude. Build follows symlinks to files below the sources. It does not enter
symlinked directories. --skip-drafts leaves out pages whose front matter has
draft: true or published: false, with one warning that counts them.

A cache is for one selection: 1 ranks sections, 0 scores whole pages. With --force
and without --selection, the new cache is for the selection of the old one.

With --force, build takes over documents of the old cache if their sources are
the same. The new cache has the same bytes as without. If nothing is new, the old
cache stays. If you cannot trust the old cache, give --no-reuse.

--description and --base-url tell agents what the cache is about and where its pages
are. guide/install.md is at the base URL and guide/install, guide/README.md and
guide/index.md at the base URL and guide/. A base URL with {path} has the path of the
file in that place, such as https://github.com/o/r/blob/main/docs/{path}. A build
without these flags makes a cache without them, also if the old cache has them.

Build prints one line of JSON: cache_version, document_count, selection, the numbers
of documents that were added, changed, removed or stayed the same, and written: true
if build wrote a cache. SOURCE_DATE_EPOCH sets the manifest's created_at.

With --format github, warnings and errors are annotations of GitHub Actions, at the files
that they are about.

--check writes nothing, with --force or without. It exits with status 8 if the
cache is out of date. Its line of JSON lists the documents that a build would
add, change, remove or remake. A remade document has the same content, but its
file is damaged or comes from another version of this program. If there are none,
the line lists other files of the cache that a build would change. With
--selection, a cache for the other selection is out of date. The line's selection
is the one that the cache was built for.`

func buildCommand() *cobra.Command {
	var b buildFlags
	cmd := &cobra.Command{
		Use:        "build [TARGET... | --sources DIR --cache DIR]",
		Short:      "Compile Markdown files into caches",
		SuggestFor: []string{"compile", "index", "make"},
		GroupID:    cacheGroup,
		Long:       buildHelp,
		Example: "  context build --sources docs --cache build/context --force --exclude 'drafts/'\n" +
			"  context build\n" +
			"  context build docs api --keep-going",
		RunE: runOn(b.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&b.cfg.Cache, "cache", "", "make the cache at `DIR`")
	flags.BoolVar(&b.cfg.Force, "force", false, "replace the cache if there is one, as targets always do")
	bindWord(cmd, &b.cfg.Selection, "selection", "", "build for selection `N`: 1 (sections, the default) or 0 (whole pages)",
		word[selection.Spec]{"0", selection.Spec0}, word[selection.Spec]{"1", selection.Spec1})
	flags.StringVar(&b.about.Description, "description", "", "tell agents what the cache is about, in the line `TEXT`")
	flags.StringVar(&b.about.BaseURL, "base-url", "", "tell agents that the pages are below `URL`, or where it has {path}")
	flags.BoolVar(&b.cfg.NoReuse, "no-reuse", false, "with --force or targets, compile everything again")
	flags.BoolVar(&b.check, "check", false, "write nothing: exit with 8 unless the cache is up to date")
	flags.StringArrayVar(&b.cfg.Filter.Exclude, "exclude", nil, "leave out what matches `GLOB`, a pattern as in .gitignore (repeatable)")
	flags.BoolVar(&b.cfg.Filter.Gitignore, "gitignore", false, "leave out what the .gitignore files of the sources leave out")
	flags.BoolVar(&b.cfg.AllowEmpty, "allow-empty", false, "with --force or targets, replace documents even if there are none to compile")
	flags.BoolVar(&b.cfg.SkipDrafts, "skip-drafts", false, "leave out pages with draft: true or published: false in front matter")
	flags.BoolVar(&b.cfg.SkipInvalid, "skip-invalid", false, "leave out files that are not UTF-8, with a warning each")
	flags.StringVar(&b.profile, "profile", "", "write what the build spends its time on to `FILE`, as a Chrome trace")
	flags.BoolVar(&b.keepGoing, "keep-going", false, "build the other targets after a failure")
	bindAnnotations(cmd, "json")
	bindJobs(cmd, &b.cfg.Jobs)
	b.file.bind(cmd)
	cmd.ValidArgsFunction = b.file.complete
	b.sources.bind(cmd)
	cmd.MarkFlagsMutuallyExclusive("check", "profile")
	cmd.MarkFlagsMutuallyExclusive("check", "no-reuse")
	completeDirectories(cmd, "cache")
	return cmd
}

// buildFlags are the flags of build.
type buildFlags struct {
	cfg     pipeline.Config
	about   document.About
	check   bool
	profile string

	sources   sourceFlags
	file      fileFlag
	keepGoing bool
}

// singleFlags are the flags of build that a Contextfile stands for.
var singleFlags = []string{
	"sources", "sources-list", "cache", "ext", "exclude", "gitignore", "selection", "description", "base-url", "skip-drafts", "skip-invalid",
}

// run builds one cache if a flag is about one, and targets otherwise.
func (b *buildFlags) run(cmd *cobra.Command, args []string) (err error) {
	if b.cfg.CreatedAt, err = createdAt(os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		return err
	}
	if err := checkJobs(b.cfg.Jobs); err != nil {
		return err
	}
	for _, flag := range singleFlags {
		if cmd.Flags().Changed(flag) {
			return b.one(cmd, args, flag)
		}
	}
	single := []string{"context", "build", "--sources", "DIR", "--cache", "DIR"}
	if len(args) == 1 && isDirectory(args[0]) {
		single[3] = args[0]
	}
	chosen, err := b.file.targets(cmd, args, "write one with `context new`, or build a single cache with `"+shellLine(single)+"`")
	if err != nil {
		return err
	}
	if b.check {
		return compareTargets(cmd, chosen, b.cfg)
	}
	return buildTargets(cmd, chosen, b)
}

// one builds or checks the cache that flags are about.
func (b *buildFlags) one(cmd *cobra.Command, args []string, because string) error {
	for _, flag := range []string{"file", "keep-going"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is for targets, and --%s for a single cache: give one of them", flag, because)
		}
	}
	if len(args) > 0 && isTarget(args[0]) {
		return usagef("--%s is for a single cache, and %s is a target: its keys in %s say what it takes", because, args[0], targets.Name)
	}
	err := cmp.Or(noArguments(cmd, args), b.sources.check(cmd, because))
	if err == nil && !cmd.Flags().Changed("cache") {
		err = usagef("no cache to make: name it with --cache DIR")
	}
	if err := cmp.Or(err, checkPath("cache", b.cfg.Cache)); err != nil {
		return err
	}
	if b.cfg.Sources, err = b.sources.mounts(cmd); err != nil {
		return err
	}
	b.cfg.List = b.sources.list
	if b.cfg.About, err = parseAbout(b.about); err != nil {
		return err
	}
	if b.check {
		return compareBuild(cmd, b.cfg)
	}
	return build(cmd, b.cfg, b.profile)
}

// parseAbout returns what the flags say that the cache is about.
func parseAbout(given document.About) (about document.About, err error) {
	if about.Description, err = document.ParseDescription(given.Description); err != nil {
		return about, usagef("--description: %v", err)
	}
	if about.BaseURL, err = document.ParseBaseURL(given.BaseURL); err != nil {
		return about, usagef("--base-url: %v", err)
	}
	return about, nil
}

func build(cmd *cobra.Command, cfg pipeline.Config, profile string) error {
	if err := keepOut("profile", profile, cfg.Cache); err != nil {
		return err
	}
	defer boundMemory()()
	stderr := cmd.ErrOrStderr()
	trace, err := createTrace(profile)
	if err != nil {
		return err
	}
	bar := console.ProgressOn(stderr)
	cfg.Observer = observers(bar.Of(0), trace.of(0, ""))
	built, err := pipeline.Build(cmd.Context(), cfg)
	bar.Clear()
	closed := trace.close()
	if err != nil {
		return err
	}
	warnOfFiles(cmd, "", built.Warnings)
	if closed != nil {
		return fmt.Errorf("the cache is in its place, but its profile is not: %w", closed)
	}
	if err := printJSON(cmd, buildReportOf(built)); err != nil {
		return fmt.Errorf("the cache is in its place, but its report is not: %w", err)
	}
	return nil
}

// warnOfFiles says the warnings of a build, each behind a prefix.
func warnOfFiles(cmd *cobra.Command, prefix string, warnings []pipeline.Warning) {
	for _, w := range warnings {
		say(cmd, remark{kind: "warning", file: w.File, message: prefix + w.Text + extensionsHint(cmd, prefix, w)})
	}
}

// extensionsHint says how to take the files that a warning counts by their extensions.
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
	return "; take them with --ext " + strings.Join(taken, ",") + "," + w.Extensions
}

// keepOut refuses a path of a flag in the cache at another path, which holds only its own
// files. An empty path is none.
func keepOut(flag, path, cache string) error {
	if path == "" {
		return nil
	}
	file, err := replace.Locate(path)
	if err != nil {
		return err
	}
	dir, err := replace.Locate(cache)
	if err != nil {
		return err
	}
	if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
		return usagef("--%s %s lies in the cache %s: choose another path", flag, path, cache)
	}
	return nil
}

// A buildReport is the output of build.
type buildReport struct {
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

func buildReportOf(r pipeline.Report) buildReport {
	return buildReport{
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

// compareBuild compares the cache with the result of a build.
func compareBuild(cmd *cobra.Command, cfg pipeline.Config) error {
	compared, err := pipeline.Check(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	warnOfFiles(cmd, "", compared.Warnings)
	return cmp.Or(printJSON(cmd, comparisonReportOf(compared)), staleness(cfg, compared))
}

// staleness returns the error of a cache that is out of date, nil if it is not.
func staleness(cfg pipeline.Config, compared pipeline.Comparison) error {
	if compared.IsUpToDate() {
		return nil
	}
	var built string
	if compared.Selection != compared.Wanted {
		built = fmt.Sprintf("it was built for selection %s, not %s; ", compared.Selection, compared.Wanted)
	}
	if compared.About != cfg.About {
		built += "it has another description or base URL; "
	}
	d := compared.Changes
	return fault.Errorf(fault.Stale,
		"%s %w (%sdocuments: %d added, %d changed, %d removed, %d remade; other files: %d)",
		cfg.Cache, errStale, built, len(d.Added), len(d.Changed), len(d.Removed), len(d.Remade), len(compared.Files))
}

var errStale = errors.New("is out of date")

// A comparisonReport is the output of build --check.
type comparisonReport struct {
	CacheVersion document.Version `json:"cache_version"`
	Selection    int              `json:"selection"` // that the cache was built for
	UpToDate     bool             `json:"up_to_date"`
	Added        []document.ID    `json:"added"`
	Changed      []document.ID    `json:"changed"`
	Removed      []document.ID    `json:"removed"`
	Remade       []document.ID    `json:"remade"`
	Files        []string         `json:"files"`
}

func comparisonReportOf(c pipeline.Comparison) comparisonReport {
	d := c.Changes
	return comparisonReport{c.Version, c.Selection.Number(), c.IsUpToDate(), d.Added, d.Changed, d.Removed, d.Remade, c.Files}
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
