package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/dotcontext"
)

const initHelp = `Init writes a .context.yaml for every directory of a project that needs one and
has none. It takes the text from the files there: a summary, a line for each file,
the exported names, the subdirectories, and at the root a description of the
project. Nothing leaves the machine, and init runs no code.

A directory needs a context if it has at least min_tokens of sources, or a
directory below it does. So does the root. A token is 4 bytes, and min_tokens is
4096 unless .context.config.yaml sets it. Files that .gitignore or .contextignore
name do not count. A SCOPE is a directory below the root. With scopes, init writes
their contexts alone, however small the directories are. It refreshes those, too,
from then on.

Edit the files, and take the fields that you write yourself off derived_fields.
Init refreshes only the fields that are on it. If you have edited one of them, init
keeps your text and warns, unless you pass --overwrite. It leaves invalid files and
files of another version alone. It prints one line of JSON: root, created, updated,
unchanged, and refused with the reasons. SOURCE_DATE_EPOCH sets last_updated.

In a git repository, new contexts get fingerprints of contents, which survive a
clone, unless a context above has one of times. --content=false makes them of times.

If init cannot read a file, it does not write the context of its directory and of
the directories above. It writes the others and exits with status 6.`

func initCommand() *cobra.Command {
	var options dotcontext.WriteOptions
	cmd := asWriting(&cobra.Command{
		Use:     "init [SCOPE...]",
		Short:   "Write a .context.yaml for each directory that needs one",
		Long:    initHelp,
		Example: "  context init --path .",
	}, &options, (*dotcontext.Project).Init)
	cmd.Flags().BoolVar(&options.Overwrite, "overwrite", false, "replace the fields in derived_fields even if they were edited")
	return cmd
}
