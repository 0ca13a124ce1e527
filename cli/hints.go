package cli

import (
	"errors"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/stages"
)

// hints say how to mend an error on the command line. The packages below serve
// other front ends too, so their errors name no flags.
var hints = []struct {
	about error
	hint  string
}{
	{cache.ErrExists, "choose another path, or replace it with --force"},
	{pipeline.ErrEmpty, "check --sources and --exclude, or replace it with --allow-empty"},
	{stages.ErrNotUTF8, "or leave them out with --skip-invalid"},
	{stages.ErrSharedID, "rename one of each, leave it out with --exclude, or give its directory a prefix with --sources PREFIX=DIR"},
	{stages.ErrTooDeep, "leave it out with --exclude"},
	{stages.ErrTooLarge, "split it, or leave it out with --exclude"},
	{stages.ErrNoPath, "rename them, or leave them out with --exclude"},
	{stages.ErrUnreadable, "make it readable, or leave it out with --exclude"},
}

// hintFor returns the hint for err, or "".
func hintFor(err error) string {
	for _, h := range hints {
		if errors.Is(err, h.about) {
			return h.hint
		}
	}
	build := []string{"context", "build", "--sources", "DIR", "--cache"}
	if absent, ok := errors.AsType[*cache.AbsentError](err); ok {
		return "make one with `" + shellLine(append(build, absent.Path)) + "`"
	}
	if damaged, ok := errors.AsType[*cache.DamagedError](err); ok && fault.CodeOf(err) == fault.CacheInvalid {
		return "build it again with `" + shellLine(append(build, damaged.Path, "--force")) + "`, and remove it first if that refuses"
	}
	return ""
}
