package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/dotcontext"
)

const rehashHelp = `Rehash marks contexts as fresh: run it when you have read a stale one and found it
right, or brought it up to date. In every .context.yaml of the project that is
stale it sets fingerprint and last_updated, and touches no other byte; comments
and formatting stay. One that is fresh stands as it did, unless --content is to
change its form. A SCOPE is a directory below the root; with any, those alone are
looked at.

A fingerprint is made of names, times and sizes, as other tools make it too, and
is out of date after a clone. With --content it is made of names, contents and
sizes, so that it lives through clones, copies and checkouts.

A file that is invalid or of another version is left alone and reported, and the
exit status says so. On standard output comes one line of JSON: root, created, updated,
unchanged, and refused with the reasons. SOURCE_DATE_EPOCH sets last_updated.`

func rehashCommand() *cobra.Command {
	return asWriting(&cobra.Command{
		Use:     "rehash [SCOPE...]",
		Short:   "Mark contexts as fresh",
		Long:    rehashHelp,
		Example: "  context rehash --content src/core",
	}, (*dotcontext.Project).Rehash)
}
