package mcp

import (
	"context"
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
	calls map[webCallKey]context.CancelFunc // nil for a cancelled call
}

type webCallKey struct{ session, id string }

// begin records a call in a session. The caller must call end when the work has ended; it reports
// whether the call was cancelled. If the session already contains a call with this ID, the second
// call cannot be cancelled.
func (c *webCalls) begin(key webCallKey, cancel context.CancelFunc) (end func() (isCancelled bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, isTaken := c.calls[key]; isTaken {
		return func() bool { return false }
	}
	c.calls[key] = cancel
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		isCancelled := c.calls[key] == nil
		delete(c.calls, key)
		return isCancelled
	}
}

// cancel ends the work on a call.
func (c *webCalls) cancel(key webCallKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.calls[key]; cancel != nil {
		c.calls[key] = nil
		cancel()
	}
}
