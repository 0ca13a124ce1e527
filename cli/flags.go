package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/request"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/words"
)

// strictFlags makes all flags at and below cmd refuse a second value.
func strictFlags(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, isList := f.Value.(pflag.SliceValue); !isList {
				f.Value = &once{Value: f.Value}
			}
		})
	}
	for _, sub := range cmd.Commands() {
		strictFlags(sub)
	}
}

// A once is the value of a flag that must not be repeated, because otherwise the last
// value would silently replace the others.
type once struct {
	pflag.Value
	isSet bool
}

var errRepeated = errors.New("the flag is repeated")

func (v *once) Set(text string) error {
	if v.isSet {
		return errRepeated
	}
	v.isSet = true
	return v.Value.Set(text)
}

// A flagWord is a word accepted by a flag, with its meaning.
type flagWord[T any] struct {
	name  string
	value T
}

// bindWord binds a flag to target and completes its words. If byDefault is "", target
// keeps its own value unless the flag is given.
func bindWord[T any](cmd *cobra.Command, target *T, flag, byDefault, usage string, words ...flagWord[T]) {
	bindWordTo(cmd, cmd.Flags(), target, flag, byDefault, usage, words...)
}

// bindWordTo is bindWord for a flag set of cmd.
func bindWordTo[T any](cmd *cobra.Command, flags *pflag.FlagSet, target *T, flag, byDefault, usage string, words ...flagWord[T]) {
	f := &flagWordValue[T]{target: target, words: words}
	if byDefault != "" && f.Set(byDefault) != nil {
		panic("cli: --" + flag + ": unknown word " + byDefault)
	}
	flags.Var(f, flag, usage)
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(f.names(), cobra.ShellCompDirectiveNoFileComp))
}

type flagWordValue[T any] struct {
	target *T
	words  []flagWord[T]
	given  string
}

func (f *flagWordValue[T]) String() string { return f.given }
func (f *flagWordValue[T]) Type() string   { return "string" }

func (f *flagWordValue[T]) Set(text string) error {
	for _, w := range f.words {
		if w.name == text {
			f.given, *f.target = text, w.value
			return nil
		}
	}
	names := f.names()
	last := len(names) - 1
	return fmt.Errorf("expected %s or %s", strings.Join(names[:last], ", "), names[last])
}

func (f *flagWordValue[T]) names() (names []string) {
	for _, w := range f.words {
		names = append(names, w.name)
	}
	return names
}

// expectedValues describes the values of flags by their type in pflag.
var expectedValues = map[string]string{
	"bool":     "true or false",
	"duration": "a duration such as 30s",
	"int":      "an integer",
}

// flagFault explains an error about a flag of cmd.
func flagFault(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, unknown)
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	flag, cause := invalid.GetFlag(), errors.Unwrap(invalid)
	expected, known := expectedValues[flag.Value.Type()]
	switch {
	case errors.Is(cause, errRepeated):
		return usagef("--%s is given twice: give it once", flag.Name)
	case errors.Is(cause, strconv.ErrRange):
		return usagef("--%s: the number %q is too large", flag.Name, invalid.GetValue())
	case known:
		return usagef("--%s: expected %s, got %q", flag.Name, expected, invalid.GetValue())
	}
	if text := cause.Error(); strings.HasPrefix(text, "expected ") {
		return usagef("--%s: %s, got %q", flag.Name, text, invalid.GetValue())
	}
	return usagef("--%s %q: %v", flag.Name, invalid.GetValue(), cause)
}

// unknownCommand returns the error for a command line whose command doesn't exist.
func unknownCommand(root *cobra.Command, args []string) error {
	root.FParseErrWhitelist.UnknownFlags = true // each with a value, probably
	_ = root.ParseFlags(args)
	name := root.Flags().Arg(0)
	message := fmt.Sprintf("unknown command %q for %q", name, root.CommandPath())
	root.SuggestionsMinimumDistance = 2 // cobra's default
	if like := root.SuggestionsFor(name); len(like) > 0 {
		message += "; did you mean " + strings.Join(like, " or ")
	}
	if strings.HasPrefix(args[0], "-") {
		message += "; write flags after the command" // its name was taken for the value of a flag
	}
	return usagef("%s", message)
}

// exclusiveKey is the annotation of a flag with the names of the flags that exclude it.
const exclusiveKey = "exclusive"

// exclude lets flags exclude each other.
func exclude(cmd *cobra.Command, one, other string) {
	cmd.MarkFlagsMutuallyExclusive(one, other) // for completions
	flag := cmd.Flag(one)
	cmd.Flags().SetAnnotation(one, exclusiveKey, append(flag.Annotations[exclusiveKey], other))
}

// checkGiven refuses a command line without a required flag, with flags that exclude each other, or
// with a wrong value.
func checkGiven(cmd *cobra.Command, _ []string) (err error) {
	var missing []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[cobra.BashCompOneRequiredFlag] != nil && !flag.Changed {
			value, _ := pflag.UnquoteUsage(flag)
			missing = append(missing, "--"+flag.Name+" "+value)
		}
		if flag.Changed && err == nil {
			err = checkValue(flag)
		}
		for _, other := range flag.Annotations[exclusiveKey] {
			if pair := []string{flag.Name, other}; err == nil && flag.Changed && cmd.Flags().Changed(other) {
				slices.Sort(pair)
				err = usagef("--%s and --%s exclude each other: pass only one of them", pair[0], pair[1])
			}
		}
	})
	if missing != nil {
		return usagef("missing %s", strings.Join(missing, " and "))
	}
	return err
}

// mayBeEmpty is the annotation of a flag for a path that can be empty.
const mayBeEmpty = "may be empty"

// checkValue refuses a wrong value of a flag. An empty path probably comes from an unset variable
// instead of meaning the working directory.
func checkValue(flag *pflag.Flag) error {
	nouns := map[string]string{"DIR": "directory", "FILE": "file"}
	if value, _ := pflag.UnquoteUsage(flag); nouns[value] != "" && flag.Value.String() == "" && flag.Annotations[mayBeEmpty] == nil {
		return usagef("--%s is empty: name a %s", flag.Name, nouns[value])
	}
	value := flag.Value
	if single, isOnce := value.(*once); isOnce {
		value = single.Value
	}
	if f, isField := value.(interface{ Check() error }); isField {
		if wrong := f.Check(); wrong != nil {
			return usagef("--%s: %v", flag.Name, wrong)
		}
	}
	return nil
}

// unknownFlag suggests what to write instead of an unknown flag.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	if given := err.GetSpecifiedShortnames(); given != "" { // as in -limit=5
		name, _, _ = strings.Cut(given, "=")
	}
	arguments := argumentsOf(cmd)
	advice := ""
	switch like := likeFlag(cmd, name, arguments); {
	case cmd.Name() == "build" && (name == "watch" || name == "w"):
		advice = "; run `context watch`"
	case slices.Contains(arguments, like) && cmd.Flags().Lookup(like) == nil:
		return fmt.Errorf("%w; give %s without a flag: %s", err, strings.ToUpper(like), strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	case like != "":
		advice = "; did you mean --" + like
	}
	for _, text := range []string{"QUERY", "PATTERN"} {
		if slices.Contains(arguments, strings.ToLower(text)) {
			advice += fmt.Sprintf("; if it belongs to %s, run `%s -- %[1]s`", text, cmd.CommandPath())
		}
	}
	return fmt.Errorf("%w%s", err, advice)
}

// withPattern puts -- before the only argument of grep if it begins with a dash but isn't a
// flag, as in `context grep -force`. It doesn't change what looks like a mistyped flag.
func withPattern(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "grep" || isCompletion(args) || slices.Contains(args, "--") {
		return args
	}
	trial, _, _ := rootCommand().Find([]string{"grep"}) // because parsing sets flags
	trial.InitDefaultHelpFlag()
	at := slices.IndexFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		isLike := trial.Flags().Lookup(name) != nil || strings.HasPrefix(arg, "--") && likeFlag(trial, name, nil) != ""
		_, isUnknown := errors.AsType[*pflag.NotExistError](trial.ParseFlags([]string{arg}))
		return isUnknown && !isLike
	})
	if at < 0 {
		return args
	}
	others := slices.Delete(slices.Clone(args), at, at+1)
	if trial.ParseFlags(others) != nil || trial.Flags().NArg() > 1 { // grep itself
		return args
	}
	return append(others, "--", args[at])
}

// argumentsOf returns the names of the arguments in the usage of cmd, in lower case.
func argumentsOf(cmd *cobra.Command) (names []string) {
	isValue := false
	for _, part := range strings.Fields(cmd.Use) {
		name := strings.Trim(part, "[].|")
		if name != "" && name == strings.ToUpper(name) && !isValue {
			names = append(names, strings.ToLower(name))
		}
		isValue = strings.HasPrefix(name, "--")
	}
	return names
}

// likeFlag returns the flag or argument of cmd whose name is a few edits away from the
// given name. Otherwise, it returns the name with the longest common prefix, if either
// name is a prefix of the other.
func likeFlag(cmd *cobra.Command, name string, arguments []string) (best string) {
	if len(name) < 2 {
		return ""
	}
	names := slices.Clone(arguments)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := words.Nearest(name, names); near != nil {
		return near[0]
	}
	for _, known := range names {
		isLike := strings.HasPrefix(known, name) || strings.HasPrefix(name, known)
		if isLike && min(len(known), len(name)) > min(len(best), len(name)) {
			best = known
		}
	}
	return best
}

// noArguments refuses arguments, and suggests the flag the user may have forgotten.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if flag := missingFlag(cmd, args[0]); flag != "" {
		return usagef("unexpected argument %q: write %s", args[0], console.ShellLine([]string{"--" + flag, args[0]}))
	}
	return usagef("unexpected argument %q: quote values that contain spaces", args[0])
}

// missingFlag returns the flag that probably belongs before an argument, or "".
func missingFlag(cmd *cobra.Command, arg string) string {
	if cmd.Flags().Lookup("target") != nil && isTarget(arg) {
		return "target"
	}
	candidates := []string{"sources", "cache", "cache-root", "dir"}
	for _, texts := range [][]string{{"query"}, {"queries", "qrels"}, {"path"}} {
		if cmd.Flags().Lookup(texts[0]) == nil {
			continue
		}
		isPage := texts[0] == "path" && !isCache(arg) // or a directory of pages or contexts
		if isPage || !isDirectory(arg) {
			candidates = texts
		}
		break
	}
	for _, name := range candidates {
		if flag := cmd.Flags().Lookup(name); flag != nil && !flag.Changed {
			return name
		}
	}
	return ""
}

func isDirectory(path string) bool {
	found, err := os.Stat(path)
	return err == nil && found.IsDir()
}

func addVersion(cmd *cobra.Command) {
	cmd.Version = version()
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.Flags().BoolP("version", "V", false, "print the version")
}

func bindJobs(cmd *cobra.Command, jobs *int) {
	bindNumber(cmd, jobs, "jobs", 0, "work on `N` documents at once; 0 means one per CPU")
}

// bindNumber binds a flag for a number of 0 or more.
func bindNumber(cmd *cobra.Command, number *int, flag string, byDefault uint64, usage string) {
	bindParameters(cmd, request.Parameter{Name: flag, Default: byDefault, Usage: usage}.To(number))
}

func require(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagRequired(flag); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

// completeDirectories lets shells complete the values of flags with directories.
func completeDirectories(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagDirname(flag); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

// checkOutput refuses a reference as the directory of a new cache.
func checkOutput(cmd *cobra.Command, path string) error {
	if registry.IsRef(path) {
		return usagef("--cache %s: %s writes to a directory; use push for registries", path, cmd.Name())
	}
	return nil
}

func atLeastOne(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("missing %s", name)
		}
		return nil
	}
}
