package cli

import (
	"cmp"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/project/targets"
)

type addFlags struct {
	file     fileFlag
	name     string
	ref, dir string
	network  networkFlags
}

func addCommand() *cobra.Command {
	var flags addFlags
	cmd := &cobra.Command{
		Use:         "add WHAT [--name NAME]",
		Short:       "Add a cache, a package, a repository or an archive to the Contextfile.yml",
		Annotations: map[string]string{exitKey: "4: no such tag; 6: cannot fetch; 8: not as locked; 9: invalid file."},
		Example: `  context add oci://ghcr.io/example/docs:v1
  context add npm:next && context build next`,
		Args: cobra.MaximumNArgs(1),
		RunE: runOn(flags.run),
	}
	flags.file.bind(cmd)
	cmd.Flags().StringVar(&flags.name, "name", "", "call the target `NAME`")
	cmd.Flags().StringVar(&flags.ref, "ref", "", "take the branch, tag or commit `REF` of a repository")
	cmd.Flags().StringVar(&flags.dir, "dir", "", "only take the directory `DIR` of a repository or an archive")
	flags.network.bind(cmd)
	return cmd
}

// An addReport is the output of add.
type addReport struct {
	File   string `json:"file"`
	Target string `json:"target"`
	Source string `json:"source"`
	Pinned string `json:"pinned"` // commit, digest or version
}

func (f *addFlags) run(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("missing what to add, such as oci://HOST/NAME:TAG, npm:NAME or git:URL")
	}
	a, err := targets.ParseAddition(args[0], f.name)
	if errors.Is(err, targets.ErrNoName) {
		return usagef("%v: choose one with --name", err)
	}
	if address, ok := errors.AsType[*fetch.AddressError](err); ok {
		return usagef("%s is not the address of a whole repository: write %s", args[0], additionOf(address.Origin))
	}
	if err != nil {
		return usagef("%v", err)
	}
	for _, field := range []targets.KeyValue{{Key: "ref", Value: f.ref}, {Key: "dir", Value: f.dir}} {
		if field.Value != "" && !a.Set(field.Key, field.Value) {
			return usagef("--%s does not go with %s", field.Key, args[0])
		}
	}
	path, text, err := f.read(cmd)
	if err != nil {
		return err
	}
	added, file, err := targets.Add(path, text, a, environment())
	if errors.Is(err, targets.ErrNameTaken) {
		return usagef("%v: choose another name with --name", err)
	}
	if err != nil {
		return err
	}
	i := slices.IndexFunc(file.Targets, func(t targets.Target) bool { return t.Name == a.Name })
	pinned, lock, err := f.pin(cmd, file, file.Targets[i])
	if err != nil {
		return err
	}
	const tidy = false
	if err := lock.write(tidy, writtenFile{path, added, 0o644}); err != nil {
		return err
	}
	return printJSON(cmd, addReport{path, a.Name, args[0], pinned})
}

// additionOf returns the arguments of add for a part of a repository.
func additionOf(o fetch.Origin) string {
	text := "git:" + o.Git
	if o.Ref != "" {
		text += " --ref " + o.Ref
	}
	if o.Dir != "" {
		text += " --dir " + o.Dir
	}
	return text
}

// read reads the Contextfile. Without --file and without a file in this directory or above, it is a
// new file.
func (f *addFlags) read(cmd *cobra.Command) (path string, text []byte, err error) {
	path = f.file.path
	if !cmd.Flags().Changed("file") {
		if path, err = findContextfile(); err != nil {
			return "", nil, err
		}
		path = cmp.Or(path, targets.Name)
	}
	text, _, err = readOld(path)
	return path, text, err
}

// pin fetches the source of the new target, and returns its version. Because it only writes to the
// store, a failure leaves the project unchanged.
func (f *addFlags) pin(cmd *cobra.Command, file *targets.Contextfile, t targets.Target) (version string, l *lockedProject, err error) {
	if l, err = lockOf(file); err != nil {
		return "", nil, err
	}
	if t.Shared == nil && t.Remote == nil { // a package
		m, err := t.Build.Sources[0].Located(cmd.Context())
		return m.Prefix, l, err
	}
	client := f.network.client(cmd)
	fetcher := targetFetcher{cmd: cmd, sources: newFetcher(), caches: client}
	err = fetcher.fetch(l, []targets.Target{t})
	return fetcher.last, l, err
}
