package cli

import (
	"bytes"
	"io"
	"time"
)

// A logWriter writes to standard error and never waits for it, because it may be a
// pipe without a reader. Lines that do not fit its buffer are lost.
type logWriter struct {
	lines   chan []byte
	closing chan struct{} // closed by close; later lines are lost
	written chan struct{} // closed when the lines before are written
}

// newLogWriter returns a logWriter that writes to out until close.
func newLogWriter(out io.Writer) *logWriter {
	const room = 1024 // lines
	w := &logWriter{make(chan []byte, room), make(chan struct{}), make(chan struct{})}
	go w.writeTo(out)
	return w
}

// writeTo writes the lines to out and ignores its errors.
func (w *logWriter) writeTo(out io.Writer) {
	defer close(w.written)
	for {
		select {
		case line := <-w.lines:
			out.Write(line)
		case <-w.closing:
			for range len(w.lines) {
				out.Write(<-w.lines)
			}
			return
		}
	}
}

func (w *logWriter) Write(line []byte) (int, error) {
	select {
	case w.lines <- bytes.Clone(line):
	default:
	}
	return len(line), nil
}

// close gives the last lines a moment.
func (w *logWriter) close() {
	const moment = 50 * time.Millisecond
	close(w.closing)
	select {
	case <-w.written:
	case <-time.After(moment):
	}
}
