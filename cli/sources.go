package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

// sourceFlags choose the pages of a build.
type sourceFlags struct {
	dirs       []string
	extensions []string
	list       string
}

func (f *sourceFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.dirs, "sources", nil, "compile the pages below `[PREFIX=]DIR` (repeatable)")
	flags.StringSliceVar(&f.extensions, "ext", nil, "take files with the extensions `EXT,...` (default md)")
	flags.StringVar(&f.list, "sources-list", "", "compile the pages that `FILE` lists")
	for _, flag := range []string{"sources", "ext", "gitignore"} {
		exclude(cmd, "sources-list", flag)
	}
	completeDirectories(cmd, "sources")
}

// check fails without sources, since the flag named by because needs them.
func (f sourceFlags) check(cmd *cobra.Command, because string) error {
	if f.list == "" && len(f.dirs) == 0 {
		return usagef("--%s is for a single cache, so it needs --sources DIR or --sources-list FILE", because)
	}
	return nil
}

func (f sourceFlags) mounts(cmd *cobra.Command) (mounts []pipeline.Mount, err error) {
	if cmd.Flags().Changed("ext") && len(f.extensions) == 0 {
		return nil, usagef("--ext is empty: name extensions such as md,mdx")
	}
	var extensions []string
	for _, extension := range f.extensions {
		extensions = append(extensions, strings.TrimSpace(extension))
	}
	if err := (pipeline.Mount{Extensions: extensions}).Check(); err != nil {
		return nil, usagef("--ext: %v", err)
	}
	for _, value := range f.dirs {
		m, err := parsePrefixed("--sources", value)
		if err != nil {
			return nil, err
		}
		m.Extensions = extensions
		mounts = append(mounts, m)
	}
	return mounts, nil
}

// parsePrefixed reads [PREFIX=]DIR, the value of a flag or the argument of a command, which
// messages call name. If the value starts with "/", "./" or "../", all of it is DIR.
func parsePrefixed(name, value string) (m pipeline.Mount, err error) {
	prefix, dir, hasPrefix := strings.Cut(value, "=")
	first, _, _ := strings.Cut(filepath.ToSlash(prefix), "/")
	if isDir := first == "." || first == ".." || filepath.IsAbs(prefix); isDir || !hasPrefix {
		prefix, dir = "", value
	} else if err := (pipeline.Mount{Prefix: prefix}).Check(); err != nil || prefix == "" {
		return m, usagef(`%s: expected a prefix such as guide or api/v2 before "=", got %q; put ./ before a directory whose name contains "="`, name, value)
	}
	switch {
	case dir == "" && value == "":
		return m, usagef("%s is empty: name a directory", name)
	case dir == "":
		return m, usagef(`%s: expected a directory after "=", got %q`, name, value)
	}
	return pipeline.Mount{Dir: dir, Prefix: prefix}, nil
}

// A shardFlag is the value I/N of a flag.
type shardFlag pipeline.Shard

func (f *shardFlag) Type() string { return "shard" }

func (f *shardFlag) String() string {
	if f.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", f.Number, f.Of)
}

func (f *shardFlag) Set(text string) error {
	var given shardFlag
	_, err := fmt.Sscanf(text, "%d/%d", &given.Number, &given.Of)
	if err != nil || given.String() != text || pipeline.Shard(given).Check() != nil {
		return fmt.Errorf("expected I/N, such as 1/4 to 4/4, with at most %d shards", sources.MaxShards)
	}
	*f = given
	return nil
}
