package cli

import (
	"bytes"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/review"
)

type reportFlags struct {
	into, cache string
	file        fileFlag
	jobs        int
}

func reportCommand() *cobra.Command {
	var typed reportFlags
	cmd := &cobra.Command{
		Use:         "report --into FILE [TARGET...]",
		Short:       "Write a report for authors: answers, pages and links",
		Annotations: map[string]string{exitKey: "4: cache missing; 5: invalid; 6: unreadable."},
		Example: "  context report --into report.html\n" +
			"  context report --into report.html --cache build/context",
		RunE: runOn(typed.run),
	}
	flags := cmd.Flags()
	flags.StringVar(&typed.into, "into", "", "write the report to `FILE`")
	flags.StringVar(&typed.cache, "cache", "", "report on the cache at `DIR` instead of targets")
	typed.file.bind(cmd)
	bindJobs(cmd, &typed.jobs)
	require(cmd, "into")
	completeDirectories(cmd, "cache")
	exclude(cmd, "cache", "file")
	cmd.ValidArgsFunction = typed.file.complete
	return cmd
}

func (typed *reportFlags) run(cmd *cobra.Command, names []string) error {
	_, mode, err := readOld(typed.into)
	if err != nil {
		return err
	}
	var made review.AuthorReport
	if cmd.Flags().Changed("cache") {
		made, err = typed.ofCache(cmd, names)
	} else {
		made, err = typed.ofTargets(cmd, names)
	}
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := made.Render(&text); err != nil {
		return fault.Errorf(fault.Internal, "render the report: %w", err)
	}
	return replaceFile(typed.into, text.Bytes(), mode)
}

func (typed *reportFlags) ofCache(cmd *cobra.Command, names []string) (review.AuthorReport, error) {
	if len(names) > 0 {
		return nil, usagef("--cache %s and the target %q: leave out either", typed.cache, names[0])
	}
	path, err := localCache(cmd, typed.cache)
	if err != nil {
		return nil, err
	}
	facts, err := review.Gather(cmd.Context(), path, nil, typed.jobs, func(string) bool { return false })
	facts.Name = filepath.Base(typed.cache)
	return review.AuthorReport{facts}, err
}

func (typed *reportFlags) ofTargets(cmd *cobra.Command, names []string) (made review.AuthorReport, err error) {
	_, chosen, err := typed.file.choose(names, "name a cache with --cache DIR, or create the file with `context new`")
	if err != nil {
		return nil, err
	}
	for _, t := range chosen {
		facts, err := review.OfTarget(cmd.Context(), t, typed.jobs)
		if err != nil {
			return nil, aboutTarget(cmd, t, err)
		}
		made = append(made, facts)
	}
	return made, nil
}
