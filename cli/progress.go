package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/contextcompiler/context/pipeline"
)

// A progress shows the progress of a build on a terminal.
type progress struct {
	stderr io.Writer // nil without a terminal
	begin  sync.Once
	bar    *progressbar.ProgressBar
}

// progressOn returns a progress that shows itself if stderr is a terminal.
func progressOn(stderr io.Writer) *progress {
	if !isTerminal(stderr) || os.Getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{stderr: stderr}
}

func (p *progress) observe(e pipeline.Event) {
	switch {
	case p.stderr == nil || e.Total == 0:
	case e.Stage == pipeline.Done && e.Worker > 0:
		p.barOf(e.Total).Add(1)
	case e.Stage == pipeline.Seal:
		p.barOf(e.Total).Describe("sealing")
	}
}

func (p *progress) barOf(total int) *progressbar.ProgressBar {
	p.begin.Do(func() {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.stderr),
			progressbar.OptionSetDescription("building"),
			progressbar.OptionSetItsString("docs"),
			progressbar.OptionShowIts(),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(65*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	})
	return p.bar
}

// clear takes the bar off the screen.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
