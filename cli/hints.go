package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/merge"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// hints say how to fix an error, on the command line and in a Contextfile. The packages
// below also serve other front ends, so their errors cannot name flags.
var hints = []struct {
	about         error
	flag, targets string
}{
	{syscall.EMFILE, "raise the limit with `ulimit -n`", "raise the limit with `ulimit -n`"},
	{syscall.ENFILE, "close other programs, which have too many files open", "close other programs, which have too many files open"},
	{cache.ErrExists, "choose another path, or replace it with --force", ""},
	{pipeline.ErrEmpty, "check --sources and --exclude, or replace it with --allow-empty", "check its sources, or replace it with --allow-empty"},
	{sources.ErrNoSources, "", "correct dir, a directory as seen from the file; patterns such as '**/*.mdx' go into include"},
	{stages.ErrUnconvertible, "repair them, or leave them out with --skip-invalid", "repair them, or leave them out with exclude"},
	{stages.ErrNotUTF8, "or leave them out with --skip-invalid", "or leave them out with exclude"},
	{
		sources.ErrSharedID, "rename one of each, leave it out with --exclude, or give its directory a prefix with --sources PREFIX=DIR",
		"rename one of each, leave it out with exclude, or give its directory a prefix with at",
	},
	{sources.ErrTooDeep, "leave it out with --exclude", "leave it out with exclude"},
	{sources.ErrTooLarge, "split it, or leave it out with --exclude", "split it, or leave it out with exclude"},
	{sources.ErrNoPath, "rename them, or leave them out with --exclude", "rename them, or leave them out with exclude"},
	{sources.ErrUnreadable, "make it readable, or leave it out with --exclude", "make it readable, or leave it out with exclude"},
	{merge.ErrNoDescription, "choose it with --description TEXT, or \"\" for none", ""},
	{merge.ErrNoBaseURL, "choose it with --base-url URL, or \"\" for none", ""},
	{merge.ErrNoProduct, "choose it with --product PRODUCT, or \"\" for none", ""},
	{cache.ErrClash, "merge each cache once, or put a prefix before one of them with PREFIX=CACHE", ""},
	{errWritten, "edit it, or remove it first", ""},
	{targets.ErrNotFetched, "", "run `context fetch`"},
	{targets.ErrNotAsPinned, "run `context fetch --update`", "run `context fetch --update`"},
	{actions.ErrNotMade, "", "run `context build`"},
	{targets.ErrDiffers, "", "make the command reproducible, or leave these pages out with exclude"},
	{targets.ErrNoPages, "name the directory of the project with --path DIR", ""},
	{targets.ErrBrokenLinks, "", "correct them; if a page has moved, its front matter can list the old path under aliases"},
	{registry.ErrDenied, "log in with `docker login`", ""},
	{registry.ErrOffline, "leave out --offline once, or name the digest of a cache that was pulled before", ""},
	{targets.ErrLow, "", "improve the pages, or change fail_under or the baseline"},
}

// withHint returns the message of an error with its hint.
func withHint(cmd *cobra.Command, err error) string {
	return strings.TrimSuffix(err.Error()+"; "+hintFor(cmd, err), "; ")
}

// hintFor returns the hint for an error of cmd, or "".
func hintFor(cmd *cobra.Command, err error) string {
	target, isTarget := errors.AsType[*targetError](err)
	for _, h := range hints {
		switch {
		case !errors.Is(err, h.about):
		case isTarget && h.targets != "":
			return h.targets
		case !isTarget:
			return h.flag
		}
	}
	if isTarget && errors.Is(err, actions.ErrUntrusted) {
		return trustHint(cmd)
	}
	damaged, isDamaged := errors.AsType[*cache.DamagedError](err)
	if isDamaged {
		if entry := userStore().EntryOf(damaged.Path); entry != "" { // a build doesn't repair it
			return "the copy in the store is damaged: remove " + entry + ", then try again"
		}
	}
	if variable := variableOfPlace(err); variable != "" {
		return "set " + variable + " to a directory that you can write to"
	}
	if absent, ok := errors.AsType[*cache.AbsentError](err); ok && meansTarget(cmd, target, absent.Path) {
		return "for the target of that name, write --target " + absent.Path
	} else if ok {
		return "build it with `" + console.ShellLine(buildLine(cmd, target, absent.Path)) + "`"
	}
	if foreign, ok := errors.AsType[*cache.ForeignError](err); ok {
		return foreignHint(cmd, target, foreign.Path)
	}
	switch isStale := errors.Is(err, targets.ErrOutOfDate); {
	case isTarget && isStale:
		return rebuildHint(cmd, target, target.target.Build.Cache)
	case isStale:
		return rebuildHint(cmd, target, cmd.Flag("cache").Value.String())
	case isDamaged && errors.Is(err, cache.ErrIndex):
		return rebuildHint(cmd, target, damaged.Path, "--no-reuse")
	case isDamaged && fault.CodeOf(err) == fault.CacheInvalid:
		return rebuildHint(cmd, target, damaged.Path)
	case errors.Is(err, fs.ErrPermission) && cmd.Flags().Lookup("cache") != nil:
		return "change its permissions, or run the command as its owner"
	}
	return ""
}

// variableOfPlace returns the variable that moves the store or the records of trust, if the system
// refuses to use their directory.
func variableOfPlace(err error) string {
	isRefused := func(why error) bool { return errors.Is(err, why) }
	if !slices.ContainsFunc([]error{fs.ErrPermission, fs.ErrNotExist, syscall.ENOTDIR, syscall.EROFS}, isRefused) {
		return ""
	}
	for _, place := range []struct{ variable, dir string }{{"CONTEXT_STORE", userStore().Dir}, {"XDG_STATE_HOME", userTrust().Dir}} {
		if place.dir != "" && strings.Contains(err.Error(), place.dir) {
			return place.variable
		}
	}
	return ""
}

func trustHint(cmd *cobra.Command) string {
	line := []string{"context", "trust"}
	if file := cmd.Flag("file").Value.String(); file != "" {
		line = append(line, file)
	}
	return "read the command and what it runs, then trust it with `" + console.ShellLine(line) + "`, or pass --allow-convert"
}

// meansTarget reports whether the user probably gave the name of a target as the path of a
// cache.
func meansTarget(cmd *cobra.Command, target *targetError, path string) bool {
	return target == nil && cmd.Flags().Lookup("target") != nil && isTarget(path)
}

// rebuildHint says how to build the cache at a path again. flags are more flags of that build.
func rebuildHint(cmd *cobra.Command, target *targetError, path string, flags ...string) string {
	build := buildLine(cmd, target, path)
	if why := cache.Obstacle(path); why != "" {
		return "no build replaces it, because " + why + ": move it away, and build it again with `" + console.ShellLine(build) + "`"
	}
	return "build it again with `" + console.ShellLine(append(forced(target, build), flags...)) + "`"
}

// cachesIn returns the caches in a directory and in its directories, such as build/context/docs in
// build.
func cachesIn(dir string) (caches []string) {
	const mostTried = 1000
	for _, pattern := range []string{"*", "*/*"} {
		paths, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, path := range paths[:min(len(paths), mostTried)] {
			if path := filepath.Join(dir, filepath.FromSlash(path)); isCache(path) {
				caches = append(caches, path)
			}
		}
	}
	return caches
}

// foreignHint says what to do if a directory isn't a cache.
func foreignHint(cmd *cobra.Command, target *targetError, path string) string {
	build := buildLine(cmd, target, path)
	switch isBuild := cmd.Name() == "build"; {
	case meansTarget(cmd, target, path):
		return "for the target of that name, write --target " + path
	case cache.Obstacle(path) == "": // it is empty
		return "build a cache with `" + console.ShellLine(forced(target, build)) + "`"
	case target != nil:
		return "move it away and run `" + console.ShellLine(build) + "`, or choose another output"
	case isBuild:
		return "choose another path"
	case len(cachesIn(path)) > 0:
		return "it contains caches: name one of them, such as " + cachesIn(path)[0]
	}
	build[3], build[5] = path, "build/context"
	return "name a directory that `context build` made; if it contains pages, `" + console.ShellLine(build) + "` makes a cache of them"
}

// buildLine returns the command that builds the cache of a target, or of a path if target
// is nil. If cmd is a build, the line contains the flags of cmd.
func buildLine(cmd *cobra.Command, target *targetError, path string) []string {
	if target != nil {
		return target.build()
	}
	line := []string{"context", "build"}
	if cmd.Name() != "build" {
		return append(line, "--sources", "DIR", "--cache", path)
	}
	for _, name := range append([]string{"shard"}, singleFlags...) {
		flag := cmd.Flag(name)
		list, isList := flag.Value.(pflag.SliceValue)
		switch {
		case !flag.Changed:
		case isList:
			for _, value := range list.GetSlice() {
				line = append(line, "--"+name, value)
			}
		case flag.NoOptDefVal != "": // it needs no value
			line = append(line, "--"+name+strings.TrimPrefix("="+flag.Value.String(), "="+flag.NoOptDefVal))
		default:
			line = append(line, "--"+name, flag.Value.String())
		}
	}
	return line
}

// forced adds --force unless the cache belongs to a target, because builds of targets
// always replace.
func forced(target *targetError, build []string) []string {
	if target != nil {
		return build
	}
	return append(build, "--force")
}
