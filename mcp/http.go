package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
)

const (
	// maxConnections is how many connections can be open at once. Later ones take the places of
	// idle ones.
	maxConnections = 256
	// maxRequests is how many requests can run or wait for a slot. Later ones are
	// refused.
	maxRequests = 128
	// maxSmallBody is the maximum size of a body in bytes that any request can send. Only
	// maxLargeBodies requests at once can send a larger one. Otherwise clients could fill the
	// memory by bodies without an end.
	maxSmallBody   = 64 << 10
	maxLargeBodies = 32
	// maxScanned is how many bytes of a body that is too large are searched for an ID.
	maxScanned = 64 << 20
	// maxHeader is the maximum size of a request's header in bytes.
	maxHeader = 32 << 10
	// requestTime is how long a client can take to send a request, and again to
	// read the answer.
	requestTime = 10 * time.Second
	// idleTime is how long a connection can stay open between requests.
	idleTime = 60 * time.Second
	// httpDrainTime is how long requests can take after the server was told to stop.
	httpDrainTime = 3 * time.Second
)

const (
	mcpPath    = "/mcp"
	healthPath = "/healthz"
)

// An Access says which requests a server over HTTP answers.
type Access struct {
	Token string   // which requests must send; "" means none
	Hosts []string // allowed in requests, besides loopback and their receiving address
}

// ServeHTTP is [ServeAgents] over streamable HTTP at /mcp. It keeps no sessions, and answers
// /healthz as long as it runs. All other paths belong to the page for people (package web). When
// ctx ends, it gives the requests in flight a few seconds. It closes the listener, and fails with
// [fault.IO] if the listener fails.
func ServeHTTP(ctx context.Context, cfg Settings, access Access, listener net.Listener) error {
	const anyProject = false // clients on other machines must not see other directories
	return serveSpec(ctx, cfg, agentSpec(cfg, anyProject), access, listener)
}

func serveSpec(ctx context.Context, cfg Settings, spec serverSpec, access Access, listener net.Listener) error {
	defer spec.end()
	draining, cut := context.WithCancel(context.Background())
	defer cut()
	g := newGuard(access, newEndpoint(cfg, spec, draining))
	server := &http.Server{
		Handler:           routes(g, newPage(cfg, spec, access, g)),
		ReadHeaderTimeout: requestTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      cfg.writeTimeout(),
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	new(openConnections).bind(server)
	drained := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(drained)
		drain(server, cut)
	})
	err := server.Serve(listener)
	if stop() {
		return fault.Errorf(fault.IO, "serve on %s: %w", listener.Addr(), err)
	}
	<-drained
	return nil
}

// writeTimeout is how long it can take from the header of a request until its answer is written.
func (cfg Settings) writeTimeout() time.Duration {
	return requestTime + cfg.toolTimeout() + requestTime
}

// drain stops a server. Requests can take httpDrainTime, and another cutTime to report their
// cancellation.
func drain(server *http.Server, cut context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), httpDrainTime+cutTime)
	defer cancel()
	time.AfterFunc(httpDrainTime, cut)
	if server.Shutdown(ctx) != nil {
		server.Close()
	}
}

func routes(protocol, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page)
	mux.Handle(mcpPath, protocol)
	mux.Handle(mcpPath+"/{$}", protocol) // some clients append a slash
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

// An endpoint passes requests on to the SDK. It limits their number, size and time, and the size of
// all answers together. It also ends calls when clients cancel them.
type endpoint struct {
	protocol    http.Handler
	time        time.Duration
	slots       chan struct{}
	largeBodies chan struct{}
	room        *semaphore.Weighted
	draining    context.Context // ends when calls must end
	calls       webCalls
}

func newEndpoint(cfg Settings, spec serverSpec, draining context.Context) *endpoint {
	server := newServer(cfg, spec)
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{
		Stateless:                  true,
		JSONResponse:               true,
		Logger:                     slog.New(slog.DiscardHandler),
		DisableLocalhostProtection: true, // the guard's own protection supports proxies
	})
	return &endpoint{
		protocol:    protocol,
		time:        cfg.writeTimeout() + requestTime, // more than any request should need
		slots:       make(chan struct{}, maxRequests),
		largeBodies: make(chan struct{}, maxLargeBodies),
		room:        semaphore.NewWeighted(maxHTTPWaiting),
		draining:    draining,
		calls:       webCalls{calls: map[webCallKey]context.CancelFunc{}},
	}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "expected a POST of a JSON-RPC message: this server has neither sessions nor streams to get or delete")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxSmallBody))
	if len(body) == maxSmallBody {
		select {
		case e.largeBodies <- struct{}{}:
			defer func() { <-e.largeBodies }()
		default:
			refuseForNow(w, "too many large requests at once: try again")
			return
		}
		body, err = readBody(io.MultiReader(bytes.NewReader(body), r.Body))
	}
	holdConnection(r)
	var m message
	if err == nil {
		m, err = parseMessage(body)
	}
	if err == nil {
		m, err = m.admit()
	}
	if err == nil && m.isListening() && !isFloat(m.id) {
		err = m.wrong(jsonrpc.CodeInvalidRequest, "id: the number is too large")
	}
	wrong, isWrong := errors.AsType[*lineError](err)
	switch {
	case isWrong:
		refuseMessage(w, r, wrong)
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "read the body: %v", err)
		return
	case m.method == "":
		w.WriteHeader(http.StatusAccepted)
		return
	}
	r.Header.Set("Accept", "application/json, text/event-stream") // the SDK insists on both
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	default:
		refuseForNow(w, "too many requests at once: try again")
		return
	}
	e.pass(w, r, m)
}

// pass passes a request on to the SDK.
func (e *endpoint) pass(w http.ResponseWriter, r *http.Request, m message) {
	ctx, cancel := context.WithTimeout(r.Context(), e.time)
	defer cancel()
	until, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(e.draining, end)()
	a := &resultText{most: maxHTTPAnswer, room: e.room, until: until}
	defer a.discard() // by then, the SDK has waited for the call and its answer
	session := r.Header.Get(sessionHeader)
	endCall := func() (isCancelled bool) { return false }
	switch {
	case m.method == "initialize":
		w.Header().Set(sessionHeader, rand.Text())
	case m.method == cancelledMethod && session != "":
		e.calls.cancel(webCallKey{session, string(m.requestID())})
	case m.method == "tools/call" && session != "":
		endCall = e.calls.begin(webCallKey{session, string(m.id)}, end)
	}
	held := &heldAnswer{ResponseWriter: w}
	id, isHeld := m.id, m.id != nil && !m.isListening()
	if isHeld {
		w, m.id = held, []byte("0") // the SDK reads numbers as floats
	}
	r.Body = io.NopCloser(bytes.NewReader(m.line()))
	e.protocol.ServeHTTP(w, r.WithContext(context.WithValue(ctx, httpResultKey{}, a)))
	wasCancelled := endCall()
	if isHeld {
		held.release(id, a, wasCancelled)
	}
}

// A heldAnswer holds the SDK's answer to a request, which contains no text of a tool.
type heldAnswer struct {
	http.ResponseWriter
	status int
	body   []byte
}

// WriteHeader implements [http.ResponseWriter].
func (h *heldAnswer) WriteHeader(status int) { h.status = status }

// Write implements [http.ResponseWriter].
func (h *heldAnswer) Write(p []byte) (int, error) {
	h.body = append(h.body, p...)
	return len(p), nil
}

// release writes the answer that the connection would write on standard output. A cancelled call
// has no answer.
func (h *heldAnswer) release(id []byte, text *resultText, isCancelled bool) {
	w := h.ResponseWriter
	if isCancelled {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.WriteHeader(cmp.Or(h.status, http.StatusOK))
	decoded, err := jsonrpc.DecodeMessage(h.body)
	response, ok := decoded.(*jsonrpc.Response)
	if err != nil || !ok { // a line of text
		w.Write(h.body)
		return
	}
	var e wire.Encoder
	e.StreamTo(w)
	e.Value(answerLine(id, response, text))
	e.Close()
}

// refuseMessage answers an invalid request. Up to lastWithHandshake, clients only read JSON-RPC
// errors whose status is 200.
func refuseMessage(w http.ResponseWriter, r *http.Request, wrong *lineError) {
	status := http.StatusOK
	isLater := r.Header.Get("Mcp-Protocol-Version") > lastWithHandshake
	switch {
	case wrong.isTooLong:
		status = http.StatusRequestEntityTooLarge
	case isLater && wrong.code == jsonrpc.CodeMethodNotFound:
		status = http.StatusNotFound
	case isLater || wrong.ids == nil:
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answers := wrong.answers(); len(answers) == 1 {
		w.Write(wire.Marshal(answers[0]))
	} else {
		w.Write(wire.Marshal(answers)) // to a batch
	}
}
