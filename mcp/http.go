package mcp

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/contextcompiler/context/fault"
)

const (
	// maxConnections is the number of connections that are open at once. Later ones
	// wait.
	maxConnections = 256
	// maxRequests is the number of requests that are at work or wait for a slot.
	// Later ones are refused.
	maxRequests = 128
	// maxHeader limits the header of a request, in bytes.
	maxHeader = 32 << 10
	// requestTime is the time for a client to send a request, and to read the answer.
	requestTime = 10 * time.Second
	// idleTime is the time that a connection may stay open between requests.
	idleTime = 60 * time.Second
	// httpDrainTime is the time for requests after the server was told to end.
	httpDrainTime = 3 * time.Second
)

// The paths of the server.
const (
	mcpPath    = "/mcp"
	healthPath = "/healthz"
)

// A Gate says whose requests a server over HTTP answers.
type Gate struct {
	Token string   // that a request must have; "" for none
	Hosts []string // that a request may be for, besides loopback and the address it came to
}

// ServeHTTP is [ServeAgents] over streamable HTTP without sessions, at /mcp on a listener,
// until ctx ends; requests then have a few seconds. /healthz tells that the server is
// there. ServeHTTP closes the listener. It fails with [fault.IO] if the listener fails.
func ServeHTTP(ctx context.Context, cfg Config, gate Gate, listener net.Listener) error {
	const anyProject = false // a client elsewhere sees no other directories
	return serveOffer(ctx, cfg, agentOffer(cfg, anyProject), gate, listener)
}

func serveOffer(ctx context.Context, cfg Config, offered offer, gate Gate, listener net.Listener) error {
	defer offered.end()
	draining, cut := context.WithCancel(context.Background())
	defer cut()
	server := &http.Server{
		Handler:           routes(newGuard(gate, newEndpoint(cfg, offered, draining))),
		ReadHeaderTimeout: requestTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      cfg.writeTimeout(),
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	drained := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		drain(server, cut)
	})
	err := server.Serve(boundListener(listener))
	if stop() {
		return fault.Errorf(fault.IO, "serve on %s: %w", listener.Addr(), err)
	}
	<-drained
	return nil
}

// writeTimeout is the time from the header of a request until its answer is written.
func (cfg Config) writeTimeout() time.Duration {
	return requestTime + cfg.toolTimeout() + requestTime
}

// drain ends a server: requests have httpDrainTime, and after cut a moment to answer that
// they were cut off.
func drain(server *http.Server, cut context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), httpDrainTime+cutTime)
	defer cancel()
	time.AfterFunc(httpDrainTime, cut)
	if server.Shutdown(ctx) != nil {
		server.Close()
	}
}

// routes returns the handler of all paths.
func routes(protocol http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(mcpPath, protocol)
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

// An endpoint hands requests on to the SDK. It limits their number, size and time, and the
// bytes of the answers.
type endpoint struct {
	protocol http.Handler
	time     time.Duration
	slots    chan struct{}
	room     *semaphore.Weighted
	draining context.Context // ends when calls are cut off
}

func newEndpoint(cfg Config, offered offer, draining context.Context) *endpoint {
	server := newServer(cfg, offered)
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                  true,
		JSONResponse:               true,
		Logger:                     slog.New(slog.DiscardHandler),
		DisableLocalhostProtection: true, // the guard has its own, which knows of proxies
	})
	return &endpoint{
		protocol: protocol,
		time:     cfg.writeTimeout() + requestTime, // nothing should take that long
		slots:    make(chan struct{}, maxRequests),
		room:     semaphore.NewWeighted(maxHTTPWaiting),
		draining: draining,
	}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "too many requests at once: try again")
		return
	}
	body, err := readBody(w, r)
	if err != nil {
		refuseBody(w, err)
		return
	}
	r.Body = body
	ctx, cancel := context.WithTimeout(r.Context(), e.time)
	defer cancel()
	until, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(e.draining, end)()
	a := &answer{most: maxHTTPAnswer, room: e.room, until: until, bySDK: true}
	defer a.discard() // the SDK has waited for the call, and has written the text
	e.protocol.ServeHTTP(w, r.WithContext(context.WithValue(ctx, httpAnswerKey{}, a)))
}

// A boundedListener has up to maxConnections open at once.
type boundedListener struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

func boundListener(listener net.Listener) *boundedListener {
	l := &boundedListener{Listener: listener, slots: make(chan struct{}, maxConnections), closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return listener.Close()
	})
	return l
}

// Accept waits for a slot, then for a connection.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	accepted, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &boundedConn{accepted, sync.OnceFunc(func() { <-l.slots })}, nil
}

func (l *boundedListener) Close() error { return l.close() }

// A boundedConn gives back its slot when it is closed.
type boundedConn struct {
	net.Conn
	release func()
}

func (c *boundedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
