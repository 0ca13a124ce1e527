package console

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/contextcompiler/context/pipeline"
)

// A Progress shows the progress of builds on a terminal.
type Progress struct {
	stderr io.Writer // nil without a terminal

	mu struct {
		sync.Mutex
		bar     *progressbar.ProgressBar // nil before the first documents are known
		counted map[int]bool             // the builds whose documents are known
		total   int                      // their documents
	}
}

// ProgressOn returns a Progress, which only shows itself if stderr is a terminal.
func ProgressOn(stderr io.Writer) *Progress {
	if !IsTerminal(stderr) || isDumb() {
		return &Progress{}
	}
	return &Progress{stderr: stderr}
}

// Of returns the observer of a build, or nil without a terminal.
func (p *Progress) Of(build int) pipeline.Observer {
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

// count adds the documents of a build to the total, once.
func (p *Progress) count(build, documents int) {
	if p.mu.counted[build] {
		return
	}
	if p.mu.bar == nil {
		p.mu.bar, p.mu.counted = newBar(p.stderr), map[int]bool{}
	}
	p.mu.counted[build] = true
	p.mu.total += documents
	p.mu.bar.ChangeMax(p.mu.total)
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

// Clear removes the bar from the screen.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.bar != nil {
		p.mu.bar.Clear()
	}
}

// TransferOn shows the bytes of a transfer on a terminal. finish removes the bar.
func TransferOn(stderr io.Writer, what string) (observe func(done, total int64), finish func()) {
	if !IsTerminal(stderr) || isDumb() {
		return nil, func() {}
	}
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	return func(done, total int64) {
		bar.ChangeMax64(max(total, 1))
		bar.Set64(done)
	}, func() { bar.Finish() }
}
