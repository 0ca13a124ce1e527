package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/contextcompiler/context/bench/corpus"
)

const module = "github.com/contextcompiler/context"

// A bench is the scratch directory and the programs that are measured there.
type bench struct {
	scratch string
	watch   stopwatch
	context string   // our program
	rivals  string   // SQLite's; empty if it could not be built
	missing []string // what is left out, and why
}

// newBench builds the programs.
func newBench(ctx context.Context, scratch string) (bench, error) {
	self, err := os.Executable()
	if err != nil {
		return bench{}, err
	}
	b := bench{
		scratch: scratch,
		watch:   stopwatch{self, filepath.Join(scratch, "output")},
		context: filepath.Join(scratch, "context"),
	}
	say("building the programs")
	if _, err := output(ctx, "go", "build", "-o", b.context, module+"/cmd/context"); err != nil {
		return bench{}, err
	}
	b.buildRivals(ctx)
	for _, name := range []string{"cp", "sync", "sh", "find", "xargs", "sha256sum", "rg", "grep"} {
		if !installed(name) {
			b.leaveOut("`%s` is not installed", name)
		}
	}
	return b, nil
}

// buildRivals builds the program with SQLite if its modules can be had.
func (b *bench) buildRivals(ctx context.Context) {
	program := filepath.Join(b.scratch, "rivals")
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err == nil {
		_, err = output(ctx, "go", "build", "-C", filepath.Join(strings.TrimSpace(root), "bench", "rivals"), "-o", program, ".")
	}
	if err != nil {
		say("bench/rivals: %v", err)
		b.leaveOut("SQLite could not be built")
		return
	}
	b.rivals = program
}

func (b *bench) leaveOut(format string, args ...any) {
	b.missing = append(b.missing, fmt.Sprintf(format, args...))
}

// output runs a command that is not measured and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := interruptible(ctx, name, args).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", name, err, lastLine(string(out)))
	}
	return string(out), nil
}

func installed(names ...string) bool {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

// A result is all that was measured of one corpus.
type result struct {
	name      string
	generated bool
	pages     int
	size      int64 // bytes of Markdown
	indexSize int64
	queries   queries
	samples   samples
}

// measureAll measures the generated corpora and then the real ones.
func (b bench) measureAll(ctx context.Context, opts options) ([]result, error) {
	var results []result
	for i, pages := range opts.sizes {
		dir := filepath.Join(b.scratch, fmt.Sprintf("pages%d", i))
		say("generating %s pages", thousands(pages))
		if _, err := corpus.Write(filepath.Join(dir, "origin"), pages); err != nil {
			return nil, err
		}
		r, err := b.measureCorpus(ctx, dir, filepath.Join(dir, "origin"), opts)
		if err != nil {
			return nil, err
		}
		r.name, r.generated = thousands(pages)+" pages", true
		results = append(results, r)
	}
	for i, o := range opts.corpora {
		r, err := b.measureCorpus(ctx, filepath.Join(b.scratch, fmt.Sprintf("corpus%d", i)), o.dir, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.name, err)
		}
		r.name = o.name
		results = append(results, r)
	}
	return results, nil
}

// measureCorpus measures the Markdown of from in dir.
func (b bench) measureCorpus(ctx context.Context, dir, from string, opts options) (result, error) {
	s, err := newSite(dir, from)
	if err != nil {
		return result{}, err
	}
	chosen, err := chooseQueries(s.documents)
	if err != nil {
		return result{}, err
	}
	if err := s.buildCaches(ctx, b); err != nil {
		return result{}, err
	}
	r := result{pages: len(s.documents), size: s.size, indexSize: s.indexSize(), queries: chosen, samples: samples{}}
	for _, part := range b.plan(s, chosen, opts.procs) {
		say("measuring %s of %s pages", part.name, thousands(r.pages))
		if err := part.run(ctx, b.watch, opts.rounds, r.samples); err != nil {
			return result{}, err
		}
	}
	return r, nil
}
