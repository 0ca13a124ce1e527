package mcp

import (
	"context"
	"net/http"
	"sync"
)

const sessionHeader = "Mcp-Session-Id"

// webCalls are the calls over HTTP, which clients can cancel. A cancellation is a separate request
// with only the ID of the call, but different clients use the same IDs. Therefore the answer to
// initialize gives each client a session name that is hard to guess, and calls are identified by
// both. Nothing else depends on the session, and the server doesn't store it: a request can name
// the session of another server, or leave it out. Safe for concurrent use.
type webCalls struct {
	mu    sync.Mutex
	calls map[webCallKey]*webCall
}

type webCallKey struct{ session, id string }

// begin records a call in a session, and returns the writer of its answer. The caller must call
// end when the work has ended. If the session already contains a call with this ID, the second
// call cannot be cancelled.
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

// cancel ends the work on a call, unless its answer has begun.
func (c *webCalls) cancel(key webCallKey) {
	c.mu.Lock()
	call := c.calls[key]
	c.mu.Unlock()
	if call != nil && call.drop() {
		call.cancel()
	}
}

// A webCall writes the answer to a call, unless the client cancels the call before the answer
// begins.
type webCall struct {
	http.ResponseWriter
	cancel context.CancelFunc

	mu          sync.Mutex
	begun       bool
	isCancelled bool
}

// drop cancels the answer, and reports whether this was still possible.
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

// WriteHeader implements [http.ResponseWriter].
func (c *webCall) WriteHeader(status int) {
	if c.writes() {
		c.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter]. It discards the answer to a cancelled call.
func (c *webCall) Write(p []byte) (int, error) {
	if !c.writes() {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// end answers a cancelled call with the status 202 (Accepted).
func (c *webCall) end() {
	if c.writes() {
		return
	}
	c.Header().Del("Content-Type")
	c.ResponseWriter.WriteHeader(http.StatusAccepted)
}
