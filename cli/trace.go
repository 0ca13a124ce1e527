package cli

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
	"github.com/contextcompiler/context/pipeline"
)

// A trace writes the stages of a build as spans in the Chrome trace event
// format, which chrome://tracing and https://ui.perfetto.dev show: one row per
// worker, and row 0 for the build itself.
type trace struct {
	path string
	file *os.File // nil if no trace was asked for
	now  func() time.Duration

	mu struct {
		sync.Mutex
		out  *bufio.Writer
		json wire.Encoder
		open map[int]span // by worker
	}
}

// A span is a stage that has begun.
type span struct {
	stage  pipeline.Stage
	source string
	began  time.Duration
}

// createTrace begins a trace in the file at path and makes its directories. With an
// empty path the trace does nothing.
func createTrace(path string) (*trace, error) {
	if path == "" {
		return &trace{}, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	var f *os.File
	if err == nil {
		f, err = os.Create(path)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "create the profile %s: %w", path, fault.Cause(err))
	}
	began := time.Now()
	t := &trace{path: path, file: f, now: func() time.Duration { return time.Since(began) }}
	t.mu.out = bufio.NewWriter(f)
	t.mu.json.StreamTo(t.mu.out)
	t.mu.open = map[int]span{}
	t.mu.json.BeginObject()
	t.mu.json.Key("traceEvents")
	t.mu.json.BeginArray()
	return t, nil
}

// observe ends the span of the event's worker and begins the next.
func (t *trace) observe(e pipeline.Event) {
	if t.file == nil {
		return
	}
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if s, ok := t.mu.open[e.Worker]; ok {
		t.write(e.Worker, s, now)
	}
	if e.Stage == pipeline.Done {
		delete(t.mu.open, e.Worker)
		return
	}
	t.mu.open[e.Worker] = span{e.Stage, e.Source, now}
}

// A traceEvent is a complete event; times are in microseconds.
type traceEvent struct {
	Name     string    `json:"name"`
	Phase    string    `json:"ph"`
	Began    int64     `json:"ts"`
	Duration int64     `json:"dur"`
	Process  int       `json:"pid"`
	Thread   int       `json:"tid"`
	Args     traceArgs `json:"args"`
}

type traceArgs struct {
	Source string `json:"source,omitzero"`
}

// write writes a span that ended at end. The caller holds t.mu.
func (t *trace) write(worker int, s span, end time.Duration) {
	t.mu.json.Value(traceEvent{
		Name:     string(s.stage),
		Phase:    "X",
		Began:    s.began.Microseconds(),
		Duration: (end - s.began).Microseconds(),
		Process:  1,
		Thread:   worker,
		Args:     traceArgs{s.source},
	})
}

// close ends the trace. A trace of a failed build is complete, too.
func (t *trace) close() error {
	if t.file == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.json.EndArray()
	t.mu.json.EndObject()
	err := cmp.Or(t.mu.json.Close(), t.mu.out.Flush(), t.file.Close())
	if err != nil {
		return fault.Errorf(fault.IO, "write the profile %s: %w", t.path, fault.Cause(err))
	}
	return nil
}
