package cli

import (
	"bytes"
	"io"
	"time"
)

// A logWriter writes to standard error but never waits for it, because standard error can
// be a pipe without a reader. If its buffer is full, lines are lost.
type logWriter struct {
	lines   chan []byte
	closing chan struct{} // closed by close; later lines are lost
	written chan struct{} // closed when the lines before are written
}

func newLogWriter(out io.Writer) *logWriter {
	const room = 1024 // lines
	w := &logWriter{make(chan []byte, room), make(chan struct{}), make(chan struct{})}
	go w.writeTo(out)
	return w
}

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

// close waits a moment for the last lines.
func (w *logWriter) close() {
	const moment = 50 * time.Millisecond
	close(w.closing)
	select {
	case <-w.written:
	case <-time.After(moment):
	}
}
