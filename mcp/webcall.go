package mcp

import (
	"context"
	"net/http"
	"sync"
)

// sessionHeader names the session of a request.
const sessionHeader = "Mcp-Session-Id"

// webCalls are the calls over HTTP that their clients can cancel. A cancellation is a request
// of its own and names only the ID of the call, but clients number their requests alike. So
// the answer to initialize gives each client the name of a session that nobody can guess, and
// calls are known by both. Nothing else depends on the session, and the server keeps none: a
// request can name another server's session, or none. It is safe for concurrent use.
type webCalls struct {
	mu    sync.Mutex
	calls map[webCallKey]*webCall
}

type webCallKey struct{ session, id string }

// begin notes a call in a session, and returns the writer of its answer. Call end when the
// work has ended. If the session has a call with the ID already, nobody can cancel the
// second one.
func (c *webCalls) begin(key webCallKey, w http.ResponseWriter, cancel context.CancelFunc) (call *webCall, end func()) {
	call = &webCall{ResponseWriter: w, cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[key] != nil {
		return call, call.end
	}
	c.calls[key] = call
	return call, func() {
		c.mu.Lock()
		delete(c.calls, key)
		c.mu.Unlock()
		call.end()
	}
}

// cancel ends the work on a call, if it is in flight and its answer has not begun.
func (c *webCalls) cancel(key webCallKey) {
	c.mu.Lock()
	call := c.calls[key]
	c.mu.Unlock()
	if call != nil && call.drop() {
		call.cancel()
	}
}

// A webCall writes the answer to a call unless the client cancels it before the answer begins.
type webCall struct {
	http.ResponseWriter
	cancel context.CancelFunc

	mu          sync.Mutex
	begun       bool
	isCancelled bool
}

// drop reports whether the answer will not be written.
func (c *webCall) drop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isCancelled = !c.begun
	return c.isCancelled
}

func (c *webCall) writes() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = !c.isCancelled
	return c.begun
}

// WriteHeader writes the header of an answer.
func (c *webCall) WriteHeader(status int) {
	if c.writes() {
		c.ResponseWriter.WriteHeader(status)
	}
}

// Write writes a part of an answer.
func (c *webCall) Write(p []byte) (int, error) {
	if !c.writes() {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// end answers a cancelled call: the request was accepted, and that is all.
func (c *webCall) end() {
	if c.writes() {
		return
	}
	c.Header().Del("Content-Type")
	c.ResponseWriter.WriteHeader(http.StatusAccepted)
}
