package mcp

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// openConnections are up to maxConnections connections. Each further connection takes the place of
// the one whose last accepted request is longest ago, so clients that hold connections without a
// call cannot keep others out, however often they ask for /healthz. Connections with a call in
// progress keep their place: while all have one, a further connection waits.
type openConnections struct {
	mu      sync.Mutex
	changed sync.Cond         // of mu: a connection is idle or closed
	all     []net.Conn        // least recently used first
	busy    map[net.Conn]bool // with a call
}

// bind makes a server limit its connections.
func (c *openConnections) bind(server *http.Server) {
	c.changed.L = &c.mu
	c.busy = map[net.Conn]bool{}
	server.ConnState = c.change
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, holdKey{}, func() { c.hold(conn) })
	}
}

// change implements [http.Server.ConnState]. The server calls it for a new connection before it
// accepts another.
func (c *openConnections) change(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	isThis := func(other net.Conn) bool { return other == conn }
	switch state {
	case http.StateNew:
		for len(c.all) >= maxConnections && !c.closeIdle() {
			c.changed.Wait()
		}
		c.all = append(c.all, conn)
	case http.StateIdle:
		if c.busy[conn] {
			c.all = append(slices.DeleteFunc(c.all, isThis), conn)
		}
		delete(c.busy, conn)
		c.changed.Broadcast()
	case http.StateClosed:
		c.all = slices.DeleteFunc(c.all, isThis)
		delete(c.busy, conn)
		c.changed.Broadcast()
	}
}

// closeIdle closes the least recently used connection without a call, if there is one. The caller
// must hold c.mu.
func (c *openConnections) closeIdle() bool {
	i := slices.IndexFunc(c.all, func(conn net.Conn) bool { return !c.busy[conn] })
	if i < 0 {
		return false
	}
	c.all[i].Close() // its server then closes it, too
	c.all = slices.Delete(c.all, i, i+1)
	return true
}

func (c *openConnections) hold(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[conn] = true
}

// holdKey is the key of the function in the context of a request that holds its connection.
type holdKey struct{}

// holdConnection keeps the connection of a request open until the answer is written. Handlers call
// it for requests that may be answered, once they have read them.
func holdConnection(r *http.Request) {
	if hold, ok := r.Context().Value(holdKey{}).(func()); ok {
		hold()
	}
}
