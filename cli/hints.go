package cli

import (
	"errors"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/targets"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// hints say how to mend an error on the command line, and in a Contextfile. The packages
// below serve other front ends too, so their errors name no flags.
var hints = []struct {
	about         error
	flag, targets string
}{
	{cache.ErrNoManifest, "", "move it away and build the target, or choose another output"},
	{cache.ErrExists, "choose another path, or replace it with --force", ""},
	{pipeline.ErrEmpty, "check --sources and --exclude, or replace it with --allow-empty", "check its sources, or replace it with --allow-empty"},
	{stages.ErrNoSources, "", "correct dir, a directory as seen from the file; patterns such as '**/*.mdx' go into include"},
	{stages.ErrNotUTF8, "or leave them out with --skip-invalid", "or leave them out with exclude"},
	{
		stages.ErrSharedID, "rename one of each, leave it out with --exclude, or give its directory a prefix with --sources PREFIX=DIR",
		"rename one of each, leave it out with exclude, or give its directory a prefix with at",
	},
	{stages.ErrTooDeep, "leave it out with --exclude", "leave it out with exclude"},
	{stages.ErrTooLarge, "split it, or leave it out with --exclude", "split it, or leave it out with exclude"},
	{stages.ErrNoPath, "rename them, or leave them out with --exclude", "rename them, or leave them out with exclude"},
	{stages.ErrUnreadable, "make it readable, or leave it out with --exclude", "make it readable, or leave it out with exclude"},
	{errWritten, "edit it, or remove it first", ""},
	{targets.ErrNoPages, "name the directory of the project with --path DIR", ""},
	{errLow, "", "improve the pages, or change fail_under or the baseline"},
	{errStale, "build it again with --force, and remove it first if that refuses", ""},
}

// hintFor returns the hint for err, or "".
func hintFor(err error) string {
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
	build := []string{"context", "build", "--sources", "DIR", "--cache"}
	again := []string{"--force"}
	absent, isAbsent := errors.AsType[*cache.AbsentError](err)
	damaged, isDamaged := errors.AsType[*cache.DamagedError](err)
	switch isDamaged = isDamaged && fault.CodeOf(err) == fault.CacheInvalid; {
	case isTarget:
		build, again = target.build(), nil
	case isAbsent:
		build = append(build, absent.Path)
	case isDamaged:
		build = append(build, damaged.Path)
	}
	switch {
	case isAbsent:
		return "make one with `" + shellLine(build) + "`"
	case isDamaged, errors.Is(err, errStale):
		return "build it again with `" + shellLine(append(build, again...)) + "`, and remove it first if that refuses"
	}
	return ""
}
