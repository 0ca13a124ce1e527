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

	mu  sync.Mutex
	out *bufio.Writer
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
	p := &profile{path: path, file: f, began: time.Now(), out: bufio.NewWriter(f)}
	fmt.Fprint(p.out, "target\tstage\tbegan\ttook\tpage\n")
	return p, nil
}

// watch returns an observer that also passes the events of a build on to another.
func (p *profile) watch(target string, next pipeline.Observer) pipeline.Observer {
	if p.file == nil {
		return next
	}
	type begun struct {
		pipeline.Event
		at int64
	}
	last := map[int]begun{} // by worker
	return func(e pipeline.Event) {
		p.mu.Lock()
		now := time.Since(p.began).Microseconds()
		if ended, ok := last[e.Worker]; ok && ended.Stage != pipeline.Done {
			fmt.Fprintf(p.out, "%s\t%s\t%d\t%d\t%s\n", target, ended.Stage, ended.at, now-ended.at, words.Printable(ended.Source))
		}
		last[e.Worker] = begun{e, now}
		p.mu.Unlock()
		if next != nil {
			next(e)
		}
	}
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
