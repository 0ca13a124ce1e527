package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/pipeline"
)

// A profile is a table of what the workers of builds spend their time on, with a line for
// each stage of each page. Its columns are separated by tabs, and its times are in
// microseconds.
type profile struct {
	path  string
	file  *os.File // nil if no profile was asked for
	began time.Time

	mu   sync.Mutex
	out  *bufio.Writer
	last map[profiledWorker]profiledEvent
}

// A profiledWorker belongs to the build of a target.
type profiledWorker struct {
	target string
	worker int
}

type profiledEvent struct {
	pipeline.Event
	at int64
}

// createProfile starts the profile at path, whose directories it creates. If path is empty,
// the profile does nothing.
func createProfile(path string) (*profile, error) {
	if path == "" {
		return &profile{}, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	var f *os.File
	if err == nil {
		f, err = os.Create(path)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "create the profile %s: %w", path, fault.Cause(err))
	}
	p := &profile{path: path, file: f, began: time.Now(), out: bufio.NewWriter(f), last: map[profiledWorker]profiledEvent{}}
	fmt.Fprint(p.out, "target\tstage\tbegan\ttook\tpage\n")
	return p, nil
}

// watch returns an observer that also passes the events of a build on to another.
func (p *profile) watch(target string, next pipeline.Observer) pipeline.Observer {
	if p.file == nil {
		return next
	}
	return func(e pipeline.Event) {
		p.enter(profiledWorker{target, e.Worker}, e)
		if next != nil {
			next(e)
		}
	}
}

// enter ends the last stage of a worker.
func (p *profile) enter(worker profiledWorker, e pipeline.Event) {
	now := time.Since(p.began).Microseconds()
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.last[worker]; ok && last.Stage != pipeline.Done {
		fmt.Fprintf(p.out, "%s\t%s\t%d\t%d\t%s\n", worker.target, last.Stage, last.at, now-last.at, words.Printable(last.Source))
	}
	p.last[worker] = profiledEvent{e, now}
}

// close completes the profile, even if the build failed.
func (p *profile) close() error {
	if p.file == nil {
		return nil
	}
	if err := cmp.Or(p.out.Flush(), p.file.Close()); err != nil {
		return fault.Errorf(fault.IO, "write the profile %s: %w", p.path, fault.Cause(err))
	}
	return nil
}
