package targets

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/pipeline"
)

// madeExtensions are the extensions of pages that generators write.
var madeExtensions = []string{"md", "html"}

// action reads the command of a source.
func (r *nodeReader) action(keep **actions.BuildAction) use {
	return func(node *yaml.Node) error {
		a := &actions.BuildAction{Dir: ".", Pages: "."}
		err := r.mapping(map[string]use{
			"run":     r.texts(&a.Run, func(string) error { return nil }),
			"dir":     parsed(r, yaml12.Text, parseBelow, &a.Dir),
			"inputs":  r.texts(&a.Inputs, checkPattern),
			"scripts": r.texts(&a.Scripts, checkPattern),
			"env":     r.variables(&a.Env),
			"version": r.text(&a.Version),
			"timeout": parsed(r, yaml12.Text, parseTimeout, &a.Timeout),
		}, "run", "inputs")(node)
		switch isTaken := func(p string) bool { return p[0] != '!' }; {
		case err != nil:
			return err
		case !slices.ContainsFunc(a.Run[1:], func(word string) bool { return strings.Contains(word, actions.Placeholder) }):
			return r.errorf(node, "no argument of \"run\" contains %s, the directory for the pages", actions.Placeholder)
		case !slices.ContainsFunc(a.Inputs, isTaken):
			return r.errorf(node, `"inputs" matches nothing: first name files to take back from, such as '**/*.rst'`)
		}
		*keep = a
		return nil
	}
}

// parseBelow parses the path of a directory below another directory.
func parseBelow(text string) (string, error) {
	dir := path.Clean(text)
	if !fs.ValidPath(dir) || strings.Contains(text, `\`) {
		return "", fmt.Errorf("expected a directory below that of the file, such as docs, got %q", text)
	}
	return dir, nil
}

// variables keeps environment variables, sorted.
func (r *nodeReader) variables(keep *[]string) use {
	return func(node *yaml.Node) error {
		err := r.entries(func(key, value *yaml.Node) error {
			if err := actions.CheckVariable(key.Value); err != nil {
				return r.errorf(key, "%w", err)
			}
			text, err := r.as(yaml12.Text, value)
			if err == nil && strings.ContainsRune(text.Value, 0) {
				err = r.wrong(value, "the value contains a zero byte")
			}
			if err == nil {
				*keep = append(*keep, key.Value+"="+text.Value)
			}
			return err
		})(node)
		slices.Sort(*keep)
		return err
	}
}

func parseTimeout(text string) (time.Duration, error) {
	timeout, err := time.ParseDuration(text)
	if err != nil || timeout <= 0 || timeout > actions.MaxTimeout {
		return 0, fmt.Errorf("expected a duration of at most %v, such as 30s or 20m, got %q", actions.MaxTimeout, text)
	}
	return timeout, nil
}

// readAction keeps the mount of the output of a command, which runs when a build starts.
func (r *nodeReader) readAction(given keyNodes, s *declaredSource) error {
	if err := r.value(given, "convert", r.action(&s.action)); err != nil {
		return err
	}
	if err := r.value(given, "dir", parsed(r, yaml12.Text, parseBelow, &s.action.Pages)); err != nil {
		return err
	}
	if len(s.Include) == 0 && len(s.Extensions) == 0 {
		s.Extensions = madeExtensions
	}
	workshop, action := r.environment.Workshop, s.action
	s.Dir = action.String()
	s.Locate = func(ctx context.Context, m pipeline.Mount) (_ pipeline.Mount, err error) {
		m.Dir, err = workshop.Output(ctx, action)
		return m, err
	}
	return nil
}

// Commands returns the actions of all targets, in order.
func (f *Contextfile) Commands() (all []*actions.BuildAction) {
	for _, t := range f.Targets {
		all = append(all, t.Commands()...)
	}
	return all
}

// Commands returns the actions of a target, in order.
func (t Target) Commands() []*actions.BuildAction {
	return slices.DeleteFunc(slices.Clone(t.Actions), func(a *actions.BuildAction) bool { return a == nil })
}

// finishActions tells the actions where they are, and the text of their file. The caches never
// count as inputs.
func (f *Contextfile) finishActions(text []byte) {
	all := f.Commands()
	if len(all) == 0 {
		return
	}
	file := located(f.Path)
	var outputs []string
	for _, t := range f.Targets {
		outputs = append(outputs, located(t.Build.Cache))
	}
	for _, a := range all {
		a.File, a.FileSum = file, sha256.Sum256(text)
		a.Project, a.Except = located(filepath.Dir(f.Path)), outputs
	}
}

// directories returns the sources of a target that are directories from the start.
func (t Target) directories() (mounts []pipeline.Mount) {
	for i, m := range t.Build.Sources {
		if t.Actions[i] == nil {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// A Trial is the result of running a command twice.
type Trial struct {
	Action  *actions.BuildAction
	Pages   int      // made by either run
	Differs []string // slash paths of pages that differ, or exist after a single run, sorted
}

// ErrDiffers means that the second run of a command made other pages.
var ErrDiffers = errors.New("makes other pages when it runs again")

// Err returns an error of [ErrDiffers] if the two runs made different pages.
func (t Trial) Err() error {
	if len(t.Differs) == 0 {
		return nil
	}
	return fault.Errorf(fault.Stale, "the command `%s` %w: %d of %d differ, the first is %s", t.Action, ErrDiffers, len(t.Differs), t.Pages, t.Differs[0])
}

// TryEach runs the commands of each target twice, and compares the pages. Other files, such as a
// search index, can't change a cache. It stops at the first command of a target that fails.
func TryEach(ctx context.Context, chosen []Target, workshop actions.Workshop) iter.Seq2[[]Trial, error] {
	return func(yield func([]Trial, error) bool) {
		for _, t := range chosen {
			var trials []Trial
			var failed error
			for i, a := range t.Actions {
				if a == nil || failed != nil {
					continue
				}
				var trial Trial
				if trial, failed = t.try(ctx, workshop, i); failed == nil {
					trials = append(trials, trial)
				}
			}
			if !yield(trials, failed) {
				return
			}
		}
	}
}

// try tries the command at a position in the sources.
func (t Target) try(ctx context.Context, workshop actions.Workshop, position int) (Trial, error) {
	trial := Trial{Action: t.Actions[position]}
	m := t.Build.Sources[position]
	m.Locate = nil
	err := workshop.RunTwice(ctx, trial.Action, func(first, second string) error {
		one, err := t.pagesIn(ctx, m, first)
		if err != nil {
			return err
		}
		two, err := t.pagesIn(ctx, m, second)
		if err != nil {
			return err
		}
		for page, sum := range one {
			if two[page] != sum {
				trial.Differs = append(trial.Differs, page)
			}
			delete(two, page)
		}
		trial.Differs = slices.AppendSeq(trial.Differs, maps.Keys(two))
		slices.Sort(trial.Differs)
		trial.Pages = len(one) + len(two)
		return nil
	})
	return trial, err
}

// pagesIn returns the hashes of the pages in an output, by path.
func (t Target) pagesIn(ctx context.Context, m pipeline.Mount, dir string) (map[string]actions.FileHash, error) {
	m.Dir = dir
	roots, err := sources.OpenRoots(ctx, []pipeline.Mount{m})
	if err != nil {
		return nil, err
	}
	defer roots.Close()
	found, err := sources.Discover(ctx, roots, t.Build.Filter, 0)
	if err != nil {
		return nil, err
	}
	pages := map[string]actions.FileHash{}
	for _, s := range found.Documents {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		file, err := sources.Open(s)
		if err != nil {
			return nil, err
		}
		text, err := file.Read(nil)
		file.Close()
		if err != nil {
			return nil, err
		}
		pages[s.Path] = sha256.Sum256(text)
	}
	return pages, nil
}
