package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

func initCommand() *cobra.Command {
	var options dotcontext.WriteOptions
	cmd := asWriting(&cobra.Command{
		Use:         "init [SCOPE...]",
		Short:       "Write a .context.yaml for each directory that needs one",
		Annotations: map[string]string{exitKey: "6: a file is unreadable; 9: a context is invalid."},
		Example:     "  context init --path .",
	}, &options, (*dotcontext.Project).Init)
	cmd.Flags().BoolVar(&options.Overwrite, "overwrite", false, "replace derived_fields even if you edited them")
	return cmd
}

func rehashCommand() *cobra.Command {
	var options dotcontext.WriteOptions
	return asWriting(&cobra.Command{
		Use:         "rehash [SCOPE...]",
		Short:       "Mark contexts as fresh",
		Annotations: map[string]string{exitKey: "6: file unreadable; 8: no context at SCOPE; 9: context invalid."},
		Example:     "  context rehash --content src/core",
	}, &options, (*dotcontext.Project).Rehash)
}
