package cli

import (
	"bufio"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/pipeline"
)

// A trace writes the stages of a build in the Chrome trace event format, which
// chrome://tracing and https://ui.perfetto.dev show. Each worker is a row, row 0 is the
// build itself, and each of several builds is a process.
type trace struct {
	path string
	file *os.File // nil if no trace was asked for
	now  func() time.Duration

	mu struct {
		sync.Mutex
		out  *bufio.Writer
		json wire.Encoder
		open map[row]traceSpan
	}
}

// A traceSpan is a running stage.
type traceSpan struct {
	stage  pipeline.Stage
	source string
	began  time.Duration
}

// createTrace starts a trace in the file at path, whose directories it creates. If path is
// empty, the trace does nothing.
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
	t.mu.open = map[row]traceSpan{}
	t.mu.json.BeginObject()
	t.mu.json.Key("traceEvents")
	t.mu.json.BeginArray()
	return t, nil
}

// A row is a worker of a build. Builds count from 0.
type row struct{ build, worker int }

// of returns the observer of a build, which the trace shows with a name unless it is "".
// Each event ends the span of its worker and may start the next.
func (t *trace) of(build int, name string) pipeline.Observer {
	if t.file == nil {
		return nil
	}
	if name != "" {
		t.mu.Lock()
		t.mu.json.Value(traceName{"process_name", "M", build + 1, traceNameArgs{name}})
		t.mu.Unlock()
	}
	return func(e pipeline.Event) {
		now := t.now()
		at := row{build, e.Worker}
		t.mu.Lock()
		defer t.mu.Unlock()
		if s, ok := t.mu.open[at]; ok {
			t.write(at, s, now)
		}
		if e.Stage == pipeline.Done {
			delete(t.mu.open, at)
			return
		}
		t.mu.open[at] = traceSpan{e.Stage, e.Source, now}
	}
}

// A traceName names a process.
type traceName struct {
	Name    string        `json:"name"`
	Phase   string        `json:"ph"`
	Process int           `json:"pid"`
	Args    traceNameArgs `json:"args"`
}

type traceNameArgs struct {
	Name string `json:"name"`
}

// A traceEvent is a complete event. Its times are in microseconds.
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

// write writes a span. The caller must hold t.mu.
func (t *trace) write(at row, s traceSpan, end time.Duration) {
	t.mu.json.Value(traceEvent{
		Name:     string(s.stage),
		Phase:    "X",
		Began:    s.began.Microseconds(),
		Duration: (end - s.began).Microseconds(),
		Process:  at.build + 1,
		Thread:   at.worker,
		Args:     traceArgs{s.source},
	})
}

// close completes the trace, even if the build failed.
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

// observers returns an observer that calls all others. It ignores nil observers, and
// returns nil without others.
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
