package cli

import (
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/contextcompiler/context/pipeline"
)

// A progress shows the progress of a build, or several, on a terminal.
type progress struct {
	stderr io.Writer // nil without a terminal

	mu struct {
		sync.Mutex
		bar    *progressbar.ProgressBar // nil before the first documents are known
		totals map[int]int              // by build: its documents
	}
}

// progressOn returns a progress that shows itself if stderr is a terminal.
func progressOn(stderr io.Writer) *progress {
	if !isTerminal(stderr) || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{stderr: stderr}
}

// of returns the observer of a build.
func (p *progress) of(build int) pipeline.Observer {
	if p.stderr == nil {
		return nil
	}
	return func(e pipeline.Event) {
		if e.Total == 0 {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count(build, e.Total)
		switch {
		case e.Stage == pipeline.Done && e.Worker > 0:
			p.mu.bar.Add(1)
		case e.Stage == pipeline.Seal:
			p.mu.bar.Describe("sealing")
		}
	}
}

// count adds the documents of a build to the bar, once.
func (p *progress) count(build, documents int) {
	if _, isCounted := p.mu.totals[build]; isCounted {
		return
	}
	if p.mu.bar == nil {
		p.mu.bar, p.mu.totals = newBar(p.stderr), map[int]int{}
	}
	p.mu.totals[build] = documents
	sum := 0
	for _, n := range p.mu.totals {
		sum += n
	}
	p.mu.bar.ChangeMax(sum)
}

func newBar(stderr io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(1,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription("building"),
		progressbar.OptionSetItsString("docs"),
		progressbar.OptionShowIts(),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// observers returns an observer that calls others. Those that are nil do not count.
func observers(all ...pipeline.Observer) pipeline.Observer {
	all = slices.DeleteFunc(all, func(o pipeline.Observer) bool { return o == nil })
	if len(all) == 0 {
		return nil
	}
	return func(e pipeline.Event) {
		for _, observe := range all {
			observe(e)
		}
	}
}

// clear takes the bar off the screen.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.bar != nil {
		p.mu.bar.Clear()
	}
}
