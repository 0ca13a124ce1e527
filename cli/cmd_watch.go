package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/project/targets"
	"github.com/contextcompiler/context/internal/project/watch"
	"github.com/contextcompiler/context/pipeline"
)

type watchFlags struct {
	file fileFlag
	jobs int
	poll time.Duration
}

func watchCommand() *cobra.Command {
	var typed watchFlags
	cmd := &cobra.Command{
		Use:         "watch [TARGET...]",
		Short:       "Build caches again when their sources change",
		Annotations: map[string]string{exitKey: "0: stopped by SIGINT or SIGTERM."},
		Example: "  context watch\n" +
			"  context watch docs api\n" +
			"  context watch --poll 10s",
		RunE: runOn(typed.run),
	}
	typed.file.bind(cmd)
	typed.file.bindAllow(cmd)
	cmd.ValidArgsFunction = typed.file.complete
	bindJobs(cmd, &typed.jobs)
	cmd.Flags().DurationVar(&typed.poll, "poll", 0, "look at all sources every `DURATION` instead")
	return cmd
}

func (typed *watchFlags) run(cmd *cobra.Command, names []string) error {
	created, err := createdAt()
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("poll") && typed.poll <= 0 {
		return usagef("--poll: expected a duration above 0, got %v", typed.poll)
	}
	typed.file.mayConvert(cmd)
	_, chosen, err := typed.file.choose(names, "create the file with `context new`")
	if err != nil {
		return err
	}
	w := &watchLoop{
		cmd: cmd, file: &typed.file, path: typed.file.found, names: names, targets: watched(chosen), poll: typed.poll,
		common: pipeline.Config{Jobs: typed.jobs, CreatedAt: created},
	}
	defer boundMemory()()
	if err := w.run(cmd.Context()); cmd.Context().Err() == nil {
		return err
	}
	return nil
}

// The groups of a watcher: the Contextfile, then the targets.
const (
	contextfileGroup = iota
	firstTargetGroup
)

// A watchLoop keeps the caches of targets up to date.
type watchLoop struct {
	cmd     *cobra.Command
	file    *fileFlag
	path    string          // of the Contextfile
	failure string          // to read that again, as printed; "" after a success
	names   []string        // of the targets; none means all
	common  pipeline.Config // what flags say about all targets
	targets []watchedTarget

	watcher *watch.Watcher // nil to poll
	poll    time.Duration  // between two builds without a watcher
	retry   time.Duration  // until failed targets are built again; 0 if all succeeded
}

// A watchedTarget is a target with the last messages about it.
type watchedTarget struct {
	targets.Target
	places   []watch.Place
	isShown  bool               // by a successful build
	failure  string             // of the last build, as printed; "" if it succeeded
	warnings []pipeline.Warning // of the last successful build
}

func watched(chosen []targets.Target) (all []watchedTarget) {
	for _, t := range chosen {
		all = append(all, watchedTarget{Target: t})
	}
	return all
}

// run builds targets until its context ends.
func (w *watchLoop) run(ctx context.Context) (err error) {
	if w.poll == 0 {
		if w.watcher, err = watch.Open(); err != nil {
			w.pollInstead(err)
		}
	}
	defer w.close()
	fmt.Fprintf(w.cmd.ErrOrStderr(), "watching %s\n", words.Printable(w.path))
	dirty := w.all()
	err = w.look(ctx, dirty)
	if err == nil && w.watcher != nil {
		dirty, err = w.next(ctx) // it marks every target that it hasn't watched before
	}
	for err == nil {
		if err = w.look(ctx, dirty); err == nil {
			err = w.build(ctx, dirty)
		}
		if err == nil {
			dirty, err = w.next(ctx)
		}
	}
	return err
}

func (w *watchLoop) close() {
	if w.watcher != nil {
		w.watcher.Close()
		w.watcher = nil
	}
}

func (w *watchLoop) pollInstead(err error) {
	w.close()
	w.poll = 5 * time.Second
	warn(w.cmd, []string{fmt.Sprintf("watch looks at all sources every %v, because %s", w.poll, refusalOf(err))})
}

// refusalOf says why the system refuses to watch, and what the user can do about it.
func refusalOf(err error) string {
	isLinux := runtime.GOOS == "linux"
	switch {
	case isLinux && errors.Is(err, syscall.ENOSPC):
		return "the system allows no more directory watches: raise fs.inotify.max_user_watches with sysctl and start again"
	case isLinux && errors.Is(err, syscall.EMFILE):
		return "the system allows no more watchers: raise fs.inotify.max_user_instances with sysctl, or the limit of ulimit -n, and start again"
	case errors.Is(err, syscall.EMFILE):
		return "too many files are open: raise the limit of ulimit -n and start again"
	}
	return fmt.Sprintf("the system does not watch them: %v", fault.Cause(err))
}

func (w *watchLoop) all() (positions []int) {
	for i := range w.targets {
		positions = append(positions, i)
	}
	return positions
}

func (w *watchLoop) failed() []int {
	return slices.DeleteFunc(w.all(), func(i int) bool { return w.targets[i].failure == "" })
}

// next waits for changes and returns the positions of the targets to build.
func (w *watchLoop) next(ctx context.Context) (dirty []int, err error) {
	if w.watcher == nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(w.poll):
			w.reread()
			return w.all(), nil
		}
	}
	groups, err := w.watcher.Next(ctx, w.retry)
	if len(groups) == 0 {
		return w.failed(), err
	}
	w.retry = 0
	if groups[0] == contextfileGroup && w.reread() {
		return w.all(), nil
	}
	for _, group := range groups {
		if group != contextfileGroup {
			dirty = append(dirty, group-firstTargetGroup)
		}
	}
	return dirty, nil
}

// reread reads the Contextfile again and reports whether its targets changed. If the file
// contains an error, the old targets stay.
func (w *watchLoop) reread() bool {
	var chosen []targets.Target
	file, err := targets.Read(w.path, w.file.environment())
	if err == nil {
		chosen, err = file.Choose(w.names)
	}
	if err != nil {
		if message := err.Error(); message != w.failure {
			w.failure = message
			report(w.cmd, err)
		}
		return false
	}
	isSame := slices.EqualFunc(w.targets, chosen, func(a watchedTarget, b targets.Target) bool { return reflect.DeepEqual(a.Target, b) })
	if isSame && w.failure == "" {
		return false
	}
	w.targets, w.failure = watched(chosen), ""
	return true
}

// look finds the places of some targets again and watches everything.
func (w *watchLoop) look(ctx context.Context, dirty []int) error {
	if w.watcher == nil || len(dirty) == 0 {
		return nil
	}
	file, err := files.Absolute(w.path)
	if err != nil {
		return err
	}
	project := filepath.Dir(file)
	outputs := w.outputs()
	for _, i := range dirty {
		t := &w.targets[i]
		targets.MakeParents(ctx, t.Target, outputs)
		if t.places, err = targets.PlacesOf(ctx, t.Target, project, outputs); err != nil {
			return err
		}
	}
	groups := [][]watch.Place{targets.PlacesAbove(file, project)}
	if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
		groups[0] = append(groups[0], watch.Place{Dir: filepath.Dir(real), Name: filepath.Base(real)})
	}
	for _, t := range w.targets {
		groups = append(groups, t.places)
	}
	if err := w.watcher.Watch(groups, outputs); err != nil {
		w.pollInstead(err)
	}
	return nil
}

func (w *watchLoop) outputs() (paths []string) {
	for _, t := range w.targets {
		if output, err := replace.Locate(t.Build.Cache); err == nil { // or the build reports it
			paths = append(paths, output)
		}
	}
	return paths
}

func (w *watchLoop) build(ctx context.Context, dirty []int) error {
	var chosen []targets.Target
	for _, i := range dirty {
		chosen = append(chosen, w.targets[i].Target)
	}
	bar := console.ProgressOn(w.cmd.ErrOrStderr())
	cfgs := configsOf(chosen, w.common)
	for i := range cfgs {
		cfgs[i].Observer = bar.Of(i)
	}
	i := 0
	for built, err := range targets.BuildEach(ctx, w.common.Jobs, chosen, cfgs) {
		bar.Clear()
		if errors.Is(err, context.Canceled) {
			return err
		}
		if err := w.show(&w.targets[dirty[i]], built, err); err != nil {
			return err
		}
		i++
	}
	if len(w.failed()) > 0 { // something else may be in the way, such as another build
		const first, last = 5 * time.Second, 5 * time.Minute
		w.retry = min(max(first, 2*w.retry), last)
	} else {
		w.retry = 0
	}
	debug.FreeOSMemory() // the next build may be far away
	return nil
}

// show prints the result of a build unless the user already knows it.
func (w *watchLoop) show(t *watchedTarget, built pipeline.Report, err error) error {
	if err != nil {
		if err.Error() == t.failure {
			return nil
		}
		t.failure = err.Error()
		report(w.cmd, aboutTarget(w.cmd, t.Target, err))
		warnOfFiles(w.cmd, t.Name+": ", built.Warnings)
		return w.print(failureOf(t.Target, err), "%s failed", t.Name)
	}
	if !slices.Equal(built.Warnings, t.warnings) {
		t.warnings = built.Warnings
		warnOfFiles(w.cmd, t.Name+": ", built.Warnings)
	}
	isNews := built.Written || !t.isShown || t.failure != ""
	t.isShown, t.failure = true, ""
	if !isNews {
		return nil
	}
	r := buildReportOf(t.Target, built)
	if !built.Written {
		return w.print(r, "%s is up to date", t.Name)
	}
	return w.print(r, "%s is built: %d added, %d changed, %d removed, %d in all", t.Name, r.Added, r.Changed, r.Removed, r.DocumentCount)
}

func (w *watchLoop) print(json any, format string, args ...any) error {
	if !console.IsTerminal(w.cmd.OutOrStdout()) {
		return printJSON(w.cmd, json)
	}
	line := time.Now().Format(time.TimeOnly) + " " + fmt.Sprintf(format, args...)
	return print(w.cmd, []byte(line+"\n"))
}
