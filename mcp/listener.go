package mcp

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// A boundedListener keeps up to maxConnections connections open. Each further connection takes the
// place of the one whose last accepted request is longest ago, so clients that hold connections
// without a call cannot keep others out, however often they ask for /healthz. Connections with a
// call in progress keep their place.
type boundedListener struct {
	net.Listener
	mu       sync.Mutex
	changed  sync.Cond      // of mu: a connection can be closed, or the listener is
	open     []*boundedConn // least recently used first
	isClosed bool
}

func boundListener(listener net.Listener) *boundedListener {
	l := &boundedListener{Listener: listener}
	l.changed.L = &l.mu
	return l
}

// Accept waits for a connection, and for its place.
func (l *boundedListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) >= maxConnections && !l.isClosed && !l.closeIdle() {
		l.changed.Wait()
	}
	if l.isClosed {
		accepted.Close()
		return nil, net.ErrClosed
	}
	c := &boundedConn{Conn: accepted, listener: l}
	l.open = append(l.open, c)
	return c, nil
}

// closeIdle closes the least recently used connection without a call, if there is one. The caller
// must hold l.mu.
func (l *boundedListener) closeIdle() bool {
	i := slices.IndexFunc(l.open, func(c *boundedConn) bool { return !c.isBusy })
	if i < 0 {
		return false
	}
	l.open[i].Conn.Close() // its server then closes it, too
	l.open = slices.Delete(l.open, i, i+1)
	return true
}

// Close implements [net.Listener]. It can be called several times.
func (l *boundedListener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isClosed {
		return nil
	}
	l.isClosed = true
	l.changed.Broadcast()
	return l.Listener.Close()
}

// A boundedConn is an open connection of a boundedListener.
type boundedConn struct {
	net.Conn
	listener *boundedListener
	isBusy   bool // with a call
}

func (c *boundedConn) Close() error {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.open, c); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.changed.Broadcast()
	return c.Conn.Close()
}

// hold keeps a connection open until the answer to its request is written.
func (c *boundedConn) hold() {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.isBusy = true
}

// release makes a connection the most recently used after its call has ended.
func (c *boundedConn) release() {
	l := c.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.open, c); i >= 0 && c.isBusy {
		c.isBusy = false
		l.open = append(slices.Delete(l.open, i, i+1), c)
		l.changed.Broadcast()
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// bind makes a server release idle connections, and pass requests their connection.
func (l *boundedListener) bind(server *http.Server) {
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			c.(*boundedConn).release()
		}
	}
}

// holdConnection keeps the connection of a request open until the answer is written. Handlers call
// it for requests that may be answered, once they have read them.
func holdConnection(r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*boundedConn); ok {
		c.hold()
	}
}
