package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/pipeline"
)

type watchFlags struct {
	file fileFlag
	jobs int
	poll time.Duration
}

func watchCommand() *cobra.Command {
	var typed watchFlags
	cmd := &cobra.Command{
		Use:         "watch [TARGET...]",
		Short:       "Build caches again when their sources change",
		Annotations: map[string]string{exitKey: "0: stopped by SIGINT or SIGTERM."},
		Example: "  context watch\n" +
			"  context watch docs api\n" +
			"  context watch --poll 10s",
		RunE: runOn(typed.run),
	}
	typed.file.bind(cmd)
	typed.file.bindAllow(cmd)
	cmd.ValidArgsFunction = typed.file.complete
	bindJobs(cmd, &typed.jobs)
	cmd.Flags().DurationVar(&typed.poll, "poll", 0, "look at all sources every `DURATION` instead")
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
		return usagef("--poll: expected a duration above 0, got %v", typed.poll)
	}
	typed.file.mayConvert(cmd)
	_, chosen, err := typed.file.choose(cmd, names, "create the file with `context new`")
	if err != nil {
		return err
	}
	w := &watchLoop{
		cmd: cmd, file: &typed.file, path: typed.file.found, names: names, targets: watched(chosen), poll: typed.poll,
		common: pipeline.Config{Jobs: typed.jobs, CreatedAt: created},
	}
	defer boundMemory()()
	if err := w.run(cmd.Context()); cmd.Context().Err() == nil {
		return err
	}
	return nil
}
