package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/pipeline"
)

const watchHelp = `Watch builds the caches that a Contextfile.yml declares, or those of the TARGETs, as
build does, and builds a cache again when its sources change. It also notices changes
of the ignore files and of the Contextfile.yml itself.

A build begins when nothing has changed for 100 ms, or 3 seconds after the first
change. It takes over what is the same, so it ends with the very bytes of a clean
build. If it fails, the old cache stays, and watch goes on: it builds again after the
next change, and from time to time without one. It keeps the old targets as long as the
Contextfile.yml has an error. Readers such as ` + "`context serve`" + ` always find a whole cache.

Watch prints what build prints about a target: at first, when a cache is new, and when
a build fails or works again. It prints an error once, and warnings when they change.
SIGINT (Ctrl-C) and SIGTERM end it with exit status 0, in the midst of a build too.

Watch waits for events of the system. Network file systems and mounts of containers
may have none. With --poll, watch looks at all sources instead, again and again. It does
so every 5 seconds if the system cannot watch so many directories; a warning says why.`

// watchFlags are the flags of watch.
type watchFlags struct {
	file fileFlag
	jobs int
	poll time.Duration
}

func watchCommand() *cobra.Command {
	var typed watchFlags
	cmd := &cobra.Command{
		Use:     "watch [TARGET...]",
		Short:   "Build caches again when their sources change",
		GroupID: cacheGroup,
		Long:    watchHelp,
		Example: "  context watch\n" +
			"  context watch docs api\n" +
			"  context watch --poll 10s",
		RunE: runOn(typed.run),
	}
	typed.file.bind(cmd)
	cmd.ValidArgsFunction = typed.file.complete
	bindJobs(cmd, &typed.jobs)
	cmd.Flags().DurationVar(&typed.poll, "poll", 0, "look at all sources every `DURATION` instead of waiting for events")
	return cmd
}

func (typed *watchFlags) run(cmd *cobra.Command, names []string) error {
	created, err := createdAt(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	if err := checkJobs(typed.jobs); err != nil {
		return err
	}
	if cmd.Flags().Changed("poll") && typed.poll <= 0 {
		return usagef("--poll is %v: want a duration above 0", typed.poll)
	}
	chosen, err := typed.file.targets(cmd, names, "write one with `context new`")
	if err != nil {
		return err
	}
	w := &watchLoop{
		cmd: cmd, path: typed.file.found, names: names, targets: watched(chosen), poll: typed.poll,
		common: pipeline.Config{Jobs: typed.jobs, CreatedAt: created},
	}
	defer boundMemory()()
	if err := w.run(cmd.Context()); cmd.Context().Err() == nil {
		return err
	}
	return nil
}
