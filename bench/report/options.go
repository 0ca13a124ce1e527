package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// options are the command line.
type options struct {
	out     string
	scratch string
	rounds  int
	sizes   []int    // pages of the generated corpora
	procs   []int    // values of GOMAXPROCS for cold builds
	corpora []origin // directories of real documentation
}

// An origin is a directory of Markdown and what the report calls it.
type origin struct{ name, dir string }

func parseOptions(args []string) (options, error) {
	opts := options{sizes: []int{1_000, 10_000, 48_000, 100_000}, procs: defaultProcs()}
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // an error is one line; help is printed below
	flags.StringVar(&opts.out, "out", filepath.Join("docs", "performance.md"), "write the report to `FILE`; its notes are kept")
	flags.StringVar(&opts.scratch, "scratch", os.TempDir(), "work in `DIR`; 100,000 pages take some 20 GB")
	flags.IntVar(&opts.rounds, "n", 10, "run each command at most `N` times; large corpora get by with 3")
	flags.Func("sizes", "generate corpora of `N,N,...` pages (default 1000,10000,48000,100000)", intoNumbers(&opts.sizes))
	flags.Func("procs", "build cold with GOMAXPROCS of `N,N,...` (default 1,2, as far as there are processors)", intoNumbers(&opts.procs))
	flags.Func("corpus", "measure the Markdown below `NAME=DIR`, too (may be repeated)", func(text string) error {
		o, err := parseOrigin(text)
		opts.corpora = append(opts.corpora, o)
		return err
	})
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(os.Stderr)
		flags.Usage()
		return options{}, err
	case err != nil:
		return options{}, err
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("%q is no flag", flags.Arg(0))
	case opts.rounds < 1:
		return options{}, errors.New("-n must be 1 or more")
	}
	_, err := os.Stat(filepath.Dir(opts.out)) // better now than in half an hour
	return opts, err
}

func defaultProcs() []int {
	if runtime.NumCPU() == 1 {
		return []int{1}
	}
	return []int{1, 2}
}

// intoNumbers returns a flag's function that parses numbers with commas
// between them; no text is no numbers.
func intoNumbers(numbers *[]int) func(string) error {
	return func(text string) error {
		*numbers = nil
		for part := range strings.SplitSeq(text, ",") {
			if part == "" {
				continue
			}
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of 1 or more", part)
			}
			*numbers = append(*numbers, n)
		}
		return nil
	}
}

// parseOrigin takes NAME=DIR, or DIR, which is named for its last part.
func parseOrigin(text string) (origin, error) {
	name, dir, named := strings.Cut(text, "=")
	if !named {
		name, dir = filepath.Base(text), text
	}
	if found, err := os.Stat(dir); err != nil {
		return origin{}, err
	} else if !found.IsDir() {
		return origin{}, fmt.Errorf("%s is no directory", dir)
	}
	return origin{name, dir}, nil
}

// commandLine is how to repeat the report, without paths of this machine.
func (opts options) commandLine() string {
	var line strings.Builder
	fmt.Fprintf(&line, "go run ./bench/report -n %d -sizes=%s -procs=%s", opts.rounds, joined(opts.sizes), joined(opts.procs))
	for _, o := range opts.corpora {
		fmt.Fprintf(&line, " -corpus %s=DIR", o.name)
	}
	return line.String()
}

func joined(numbers []int) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(texts, ",")
}
