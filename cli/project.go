package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

func bindPath(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "path", ".", "work on the project at `DIR`")
	completeDirectories(cmd, "path")
}

// noScopeEmpty refuses an empty scope, because it probably comes from an unset variable.
func noScopeEmpty(_ *cobra.Command, scopes []string) error {
	if slices.Contains(scopes, "") {
		return usagef("a SCOPE is empty: name a directory below the project's root, or . for the root")
	}
	return nil
}

// A contextWriter writes the contexts of a project.
type contextWriter func(*dotcontext.Project, context.Context, dotcontext.WriteOptions) (dotcontext.WriteReport, error)

// onProject turns cmd into a command on the project at --path.
func onProject(cmd *cobra.Command, call func(cmd *cobra.Command, p *dotcontext.Project, args []string) error) *cobra.Command {
	var path string
	cmd.RunE = runOn(func(cmd *cobra.Command, args []string) error {
		p, err := dotcontext.Open(path)
		if err != nil {
			return err
		}
		defer p.Close()
		return call(cmd, p, args)
	})
	bindPath(cmd, &path)
	return cmd
}

// asWriting turns cmd into a command that takes scopes, writes their contexts and reports
// the changes.
func asWriting(cmd *cobra.Command, options *dotcontext.WriteOptions, write contextWriter) *cobra.Command {
	cmd.Args = noScopeEmpty
	onProject(cmd, func(cmd *cobra.Command, p *dotcontext.Project, scopes []string) (err error) {
		options.Scopes, options.Times = scopes, cmd.Flags().Changed("content") && !options.Content
		if options.LastUpdated, err = now(); err != nil {
			return err
		}
		changes, err := write(p, cmd.Context(), *options)
		if err != nil {
			return err
		}
		warn(cmd, changes.Warnings)
		r := changeReport{Root: words.Printable(p.Path)}
		for i := range changes.List {
			r.add(cmd, &changes.List[i])
		}
		return cmp.Or(printJSON(cmd, r), changes.Err())
	})
	cmd.Flags().BoolVar(&options.Content, "content", false,
		"make fingerprints that survive clones")
	return cmd
}

// now returns the time for last_updated: SOURCE_DATE_EPOCH or the current time.
func now() (string, error) {
	given, err := createdAt()
	return cmp.Or(given, time.Now().UTC().Format(time.RFC3339)), err
}

// advise adds to an error how to create the missing context.
func advise(scope string, err error) error {
	if err == nil || fault.CodeOf(err) != fault.Stale {
		return err
	}
	return fmt.Errorf("%w: make it with `%s`", err, console.ShellLine([]string{"context", "init", scope}))
}

// A changeReport is the output of init and rehash.
type changeReport struct {
	Root      string    `json:"root"`
	Created   []string  `json:"created"`
	Updated   []string  `json:"updated"`
	Unchanged int       `json:"unchanged"`
	Refused   []refusal `json:"refused"`
}

type refusal struct {
	Scope string `json:"scope"`
	Error string `json:"error"`
}

// add adds the change of a scope. It says how to refresh the derived fields that init kept.
func (r *changeReport) add(cmd *cobra.Command, change *dotcontext.ContextChange) {
	switch change.Action {
	case dotcontext.Created:
		r.Created = append(r.Created, change.Scope)
	case dotcontext.Updated:
		r.Updated = append(r.Updated, change.Scope)
	case dotcontext.Unchanged:
		r.Unchanged++
	}
	if len(change.Kept) > 0 {
		warn(cmd, []string{fmt.Sprintf("%s: kept %s, because init did not write what is there: take it off derived_fields, or replace it with `%s`",
			path.Join(change.Scope, contextfile.Name), strings.Join(change.Kept, ", "),
			console.ShellLine([]string{"context", "init", "--overwrite", change.Scope}))})
	}
	if change.Err = advise(change.Scope, change.Err); change.Err != nil {
		r.Refused = append(r.Refused, refusal{change.Scope, change.Err.Error()})
	}
}
