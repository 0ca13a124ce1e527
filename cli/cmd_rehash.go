package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/dotcontext"
)

const rehashHelp = `Rehash marks contexts as fresh. Run it when a stale context is right, or after you
have edited it. Rehash sets fingerprint and last_updated in every .context.yaml of
the project that is stale, and changes no other byte: comments and formatting
stay. It does not change fresh contexts. A SCOPE is a directory below the root.
With scopes, rehash looks at their contexts alone.

A fingerprint covers names, times and sizes, as in other tools, and is out of date
after a clone. With --content it covers names, contents and sizes of the files
that git does not ignore, so it survives clones, copies and checkouts. Such a
fingerprint has the comment "# of contents", and plain rehash keeps its form.

Rehash leaves invalid files, and files of another version, alone. It reports them
and exits with their status. It prints one line of JSON: root, created, updated,
unchanged, and refused with the reasons. SOURCE_DATE_EPOCH sets last_updated.`

func rehashCommand() *cobra.Command {
	var options dotcontext.WriteOptions
	return asWriting(&cobra.Command{
		Use:     "rehash [SCOPE...]",
		Short:   "Mark contexts as fresh",
		Long:    rehashHelp,
		Example: "  context rehash --content src/core",
	}, &options, (*dotcontext.Project).Rehash)
}
