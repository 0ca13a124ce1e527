package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/dotcontext"
)

const rehashHelp = `Rehash marks contexts as fresh: run it when you have read a stale one and found it
right, or brought it up to date. In every .context.yaml of the project that is
stale it sets fingerprint and last_updated, and touches no other byte; comments
and formatting stay. A fresh one stays as it is. A SCOPE is a directory below the
root; with any, rehash looks at those alone.

A fingerprint is made of names, times and sizes, as other tools make it too, and
is out of date after a clone. With --content it is made of names, contents and
sizes of the files that git does not ignore, so that it lives through clones,
copies and checkouts. The comment "# of contents" behind the fingerprint says so,
and from then on plain rehash keeps that form.

Rehash leaves a file alone that is invalid or of another version, and reports it;
the exit status says so. On standard output comes one line of JSON: root, created,
updated, unchanged, and refused with the reasons. SOURCE_DATE_EPOCH sets
last_updated.`

func rehashCommand() *cobra.Command {
	return asWriting(&cobra.Command{
		Use:     "rehash [SCOPE...]",
		Short:   "Mark contexts as fresh",
		Long:    rehashHelp,
		Example: "  context rehash --content src/core",
	}, (*dotcontext.Project).Rehash)
}
