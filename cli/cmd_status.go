package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

type statusFlags struct{ json, exitCode bool }

func statusCommand() *cobra.Command {
	var typed statusFlags
	cmd := onProject(&cobra.Command{
		Use:         "status",
		Short:       "Show which contexts of a project are fresh",
		Annotations: map[string]string{exitKey: "6: a file is unreadable; 8: a context is not fresh (--exit-code)."},
		Example:     "  context status --exit-code",
		Args:        noArguments,
	}, func(cmd *cobra.Command, p *dotcontext.Project, _ []string) error { return status(cmd, p, typed) })
	cmd.Flags().BoolVar(&typed.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&typed.exitCode, "exit-code", false, "fail unless all contexts are fresh")
	return cmd
}

func status(cmd *cobra.Command, p *dotcontext.Project, typed statusFlags) error {
	o, err := p.Overview(cmd.Context())
	if err != nil {
		return err
	}
	warn(cmd, o.Warnings)
	if typed.json {
		err = printJSON(cmd, statusReportOf(p, o))
	} else {
		err = present(cmd, commandOutput{text: console.TabulateStatus(o, isColoured(cmd, cmd.OutOrStdout()))})
	}
	if err != nil || !typed.exitCode {
		return err
	}
	if err := o.Err(); err != nil {
		return err
	}
	if n := statusCountsOf(o); n.Stale+n.Missing+n.Invalid > 0 {
		return fault.Errorf(fault.Stale, "%d stale, %d missing and %d invalid: bring them up to date, then run `context rehash` or `context init`", n.Stale, n.Missing, n.Invalid)
	}
	return nil
}

// A statusReport is the output of status --json.
type statusReport struct {
	Root        string            `json:"root"`
	Directories []directoryStatus `json:"directories"`
	Summary     statusCounts      `json:"summary"`
}

type directoryStatus struct {
	Scope       string           `json:"scope"`
	State       dotcontext.State `json:"state"`
	Fingerprint *string          `json:"fingerprint"` // nil without a context, like Summary
	Summary     *string          `json:"summary"`
}

type statusCounts struct {
	Total   int `json:"total"`
	Tracked int `json:"tracked"`
	Fresh   int `json:"fresh"`
	Stale   int `json:"stale"`
	Missing int `json:"missing"`
	Invalid int `json:"invalid"`
	Skipped int `json:"skipped"`
}

func statusReportOf(p *dotcontext.Project, o *dotcontext.Overview) statusReport {
	r := statusReport{Root: words.Printable(p.Path), Summary: statusCountsOf(o)}
	for _, s := range o.Statuses {
		d := directoryStatus{Scope: s.Scope, State: s.State}
		if s.Context != nil {
			d.Fingerprint, d.Summary = &s.Context.Fingerprint, &s.Context.Summary
		}
		r.Directories = append(r.Directories, d)
	}
	return r
}

func statusCountsOf(o *dotcontext.Overview) statusCounts {
	return statusCounts{
		Total:   len(o.Statuses),
		Tracked: o.Tracked(),
		Fresh:   o.Count(dotcontext.Fresh),
		Stale:   o.Count(dotcontext.Stale),
		Missing: o.Count(dotcontext.Missing),
		Invalid: o.Count(dotcontext.Invalid),
		Skipped: len(o.Skipped),
	}
}
