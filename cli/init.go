package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/dotcontext"
)

const initHelp = `Init writes a .context.yaml for every directory of a project that needs one and
has none. It takes the text from the files there: a summary, what each file is
for, the exported names, the subdirectories, and at the root what the project
is. Nothing leaves the machine, and no code is run.

Directories count that hold at least min_tokens of sources (4 bytes a token;
4096 unless .context.config.yaml says otherwise), their parents, and the root.
What .gitignore and .contextignore name does not. A SCOPE is a directory below
the root; with any, those alone are written, however small.

Edit the files: take the fields that you write yourself off derived_fields. Init
then refreshes the others only; a file that is invalid or of another version it
leaves alone. On standard output comes one line of JSON: root, created, updated,
unchanged, and refused with the reasons. SOURCE_DATE_EPOCH sets last_updated.

If something cannot be read, init writes neither the context that it belongs to
nor those above it, does the rest, and ends with exit status 6.`

func initCommand() *cobra.Command {
	return asWriting(&cobra.Command{
		Use:     "init [SCOPE...]",
		Short:   "Write a .context.yaml for each directory that is to have one",
		Long:    initHelp,
		Example: "  context init --path . --content",
	}, (*dotcontext.Project).Init)
}
