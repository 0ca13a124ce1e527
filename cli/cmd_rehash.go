package cli

import (
	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/contexts/dotcontext"
)

func rehashCommand() *cobra.Command {
	var options dotcontext.WriteOptions
	return asWriting(&cobra.Command{
		Use:         "rehash [SCOPE...]",
		Short:       "Mark contexts as fresh",
		Annotations: map[string]string{exitKey: "6: file unreadable; 8: no context at SCOPE; 9: context invalid."},
		Example:     "  context rehash --content src/core",
	}, &options, (*dotcontext.Project).Rehash)
}
