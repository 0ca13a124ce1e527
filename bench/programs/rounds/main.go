// Command rounds runs whole programs and prints what each run takes, in the format
// of Go benchmarks, so that benchstat can turn it into medians and ratios.
//
//	rounds [-n ROUNDS] [-scratch DIR] [-query TEXT] NAME=DIR...
//	rounds [-n ROUNDS] [-scratch DIR] PAGES...
//
// NAME=DIR is a directory of Markdown files and its name in the output. PAGES is a
// number of pages to generate. The programs context, floor and rivals must be on
// the path; PAGES also needs pages, and the tests of module bench as bench.test.
//
// Every round runs each program once, so all of them see the same changes of the
// machine's speed. Every second round runs them backwards, but not for PAGES, whose
// programs need what others write. Builds write to new
// directories, which are deleted only at the end, because ext4 creates files slowly
// for minutes after many deletions. Before each run, rounds syncs. Otherwise
// builds, which sync as well, would pay for the writes of other programs.
//
// It needs Linux, and it must stay small, because Linux counts the peak memory of a
// process from the size of its parent.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rounds:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	n := flag.Int("n", 10, "run `ROUNDS` rounds")
	scratch := flag.String("scratch", os.TempDir(), "work in a new directory below `DIR`")
	query := flag.String("query", "how to configure authentication", "resolve `TEXT`")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("name a corpus, as in docs=DIR, or a number of pages")
	}
	dir, err := os.MkdirTemp(*scratch, "rounds-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, arg := range flag.Args() {
		if pages, err := strconv.Atoi(arg); err == nil {
			if err := runGrowth(filepath.Join(dir, "growth"), pages, *n); err != nil {
				return fmt.Errorf("%d pages: %w", pages, err)
			}
			continue
		}
		name, from, found := strings.Cut(arg, "=")
		if !found {
			return fmt.Errorf("%q is neither NAME=DIR nor a number of pages", arg)
		}
		c, err := newCorpus(filepath.Join(dir, name), from, *query)
		if err != nil {
			return err
		}
		fmt.Printf("corpus: %s\n", name)
		if err := runRounds(os.Stdout, *n, c.steps()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// runGrowth runs the rounds of a number of pages in dir. Since a million of them take
// most of a disk, it deletes dir.
func runGrowth(dir string, pages, n int) (err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g, err := newGrowth(dir, pages)
	if err != nil {
		return err
	}
	for round := range n {
		for _, s := range g.steps() {
			if err := s.run(os.Stdout, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// A step is a program to run once a round.
type step struct {
	names   []string              // benchmarks that get its figures
	prepare func(round int) error // not measured; may be nil
	args    func(round int) []string
	metrics func(round int) (string, error) // figures of its output; may be nil
	show    func(line string) bool          // says which lines of its output to print; may be nil
}

func runRounds(out io.Writer, n int, steps []step) error {
	for round := range n {
		order := slices.Clone(steps)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, s := range order {
			if err := s.run(out, round); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s step) run(out io.Writer, round int) error {
	if s.prepare != nil {
		if err := s.prepare(round); err != nil {
			return err
		}
	}
	var printed strings.Builder
	var output io.Writer // nil discards it
	if s.show != nil {
		output = &printed
	}
	u, err := measure(s.args(round), output)
	if err != nil {
		return err
	}
	for line := range strings.Lines(printed.String()) {
		if s.show(line) {
			io.WriteString(out, line)
		}
	}
	figures := u.String()
	if s.metrics != nil {
		more, err := s.metrics(round)
		if err != nil {
			return err
		}
		figures += more
	}
	for _, name := range s.names {
		fmt.Fprintf(out, "Benchmark%s 1 %s\n", name, figures)
	}
	return nil
}
