package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/contextcompiler/context/internal/wire"
)

const (
	// maxInFlight is the number of requests that may wait for their answers.
	// Later ones wait in the lines ahead, so that no client fills our memory.
	maxInFlight = 64
	// maxAhead is the number of bytes that are read ahead, so that the
	// connection sees the end of the input while requests wait.
	maxAhead = 4 << 20
	// lineCost is the cost of a line besides its bytes.
	lineCost = 1 << 10
	// drainTime is the time for requests after the end of the input.
	drainTime = 700 * time.Millisecond
	// cutTime is the time for requests after they are cancelled then.
	cutTime = 200 * time.Millisecond
)

// A connection reads and writes the lines of one client. The SDK's own connection
// ends at a malformed line, and drops the answers in flight at the end of its input.
// This one answers malformed lines and waits for answers. It returns the ID of every
// request in the same form, and writes the answers of tools itself.
type connection struct {
	lines chan inputLine // closed when the input has ended
	ahead *semaphore.Weighted
	slots chan struct{}       // one a request in flight
	room  *semaphore.Weighted // for answers: maxWaiting

	stop     chan struct{}      // closed to hand on no more
	draining context.Context    // ends when calls are cut off
	cut      context.CancelFunc // ends draining
	gaveUp   chan struct{}      // closed when the time to end is over
	closed   chan struct{}
	once     struct{ stop, end, close sync.Once }

	mu struct {
		sync.Mutex
		inFlight map[jsonrpc.ID]*pendingRequest
		waiting  int           // requests whose answers are not written
		idle     chan struct{} // closed when none is waiting; nil if drain does not wait
		unread   error         // error of reading the input; nil at its end
	}
	out struct {
		sync.Mutex // held while writing, which takes as long as the client likes
		io.Writer
	}
}

// A pending request has no answer yet.
type pendingRequest struct {
	id          []byte // as the client wrote it
	method      string
	answer      *resultText
	cancel      context.CancelFunc // ends the work on the answer
	isCancelled bool               // by the client, so the answer is not written
}

// A line is a result of readLine.
type inputLine struct {
	text []byte
	err  error
}

func (l inputLine) cost() int64 { return int64(len(l.text)) + lineCost }

func newConnection(in io.Reader, out io.Writer) *connection {
	c := &connection{
		lines:  make(chan inputLine, maxAhead/lineCost),
		ahead:  semaphore.NewWeighted(maxAhead),
		slots:  make(chan struct{}, maxInFlight),
		room:   semaphore.NewWeighted(maxWaiting),
		stop:   make(chan struct{}),
		gaveUp: make(chan struct{}),
		closed: make(chan struct{}),
	}
	c.draining, c.cut = context.WithCancel(context.Background())
	c.mu.inFlight = map[jsonrpc.ID]*pendingRequest{}
	c.out.Writer = out
	// Nothing interrupts a read of standard input, so this goroutine may outlive
	// the connection.
	go c.readLines(bufio.NewReaderSize(in, 64<<10))
	return c
}

// Connect returns the connection itself, which is its own transport.
func (c *connection) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID returns "": there is only one session.
func (c *connection) SessionID() string { return "" }

// readLines reads ahead, as far as there is room.
func (c *connection) readLines(in *bufio.Reader) {
	defer close(c.lines)
	defer c.beginEnd()
	for {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, errLineTooLong) {
			c.endInput(err)
			return
		}
		next := inputLine{text, err}
		if c.ahead.Acquire(c.draining, next.cost()) != nil {
			return
		}
		c.lines <- next // never blocks: the room of lines is that of ahead
	}
}

// endInput keeps the error that ended the input, except io.EOF.
func (c *connection) endInput(err error) {
	if errors.Is(err, io.EOF) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.unread = err
}

// inputError returns the error of reading the input, or nil.
func (c *connection) inputError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.unread
}

// stopReading ends the input for the SDK. Requests in flight get their answers.
func (c *connection) stopReading() {
	c.once.stop.Do(func() {
		close(c.stop)
		c.beginEnd()
	})
}

// beginEnd starts the time for calls at work: after drainTime they are cancelled, and
// after cutTime more the connection gives up.
func (c *connection) beginEnd() {
	c.once.end.Do(func() {
		time.AfterFunc(drainTime, c.cut)
		time.AfterFunc(drainTime+cutTime, func() { close(c.gaveUp) })
	})
}

// Close ends the connection.
func (c *connection) Close() error {
	c.once.close.Do(func() {
		close(c.closed)
		c.cut()
	})
	return nil
}

// Read returns the next message. It answers lines that are not messages. At the end
// of the input it waits for the answers in flight, then returns io.EOF.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-c.closed:
			return nil, io.EOF
		case <-c.gaveUp:
			return nil, io.EOF
		case <-c.stop:
			return nil, c.drain()
		case next, ok := <-c.lines:
			if !ok {
				return nil, c.drain()
			}
			c.ahead.Release(next.cost())
			msg, err := c.accept(next)
			if msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// accept returns the message of a line, or nil for a line without one.
func (c *connection) accept(next inputLine) (jsonrpc.Message, error) {
	if next.err != nil {
		return nil, c.answer(&lineError{nil, jsonrpc.CodeParseError, next.err.Error()})
	}
	if len(bytes.TrimSpace(next.text)) == 0 {
		return nil, nil
	}
	m, err := parseMessage(next.text)
	if err == nil {
		m, err = m.admit()
	}
	if wrong, ok := errors.AsType[*lineError](err); ok {
		return nil, c.answer(wrong)
	}
	switch {
	case m.method == "":
		return nil, nil
	case m.id != nil:
		return c.begin(m)
	case m.method == cancelledMethod:
		c.cancelRequest(m)
		return nil, nil
	}
	return &jsonrpc.Request{Method: m.method, Params: m.params}, nil
}

// begin waits for a slot and notes a request.
func (c *connection) begin(m message) (jsonrpc.Message, error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.closed:
		return nil, io.EOF
	case <-c.gaveUp:
		return nil, io.EOF
	case <-c.stop:
		return nil, c.drain()
	}
	id := idOf(m.id)
	until, cancel := context.WithCancel(c.draining)
	request := &pendingRequest{id: m.id, method: m.method, cancel: cancel}
	request.answer = &resultText{most: maxAnswer, room: c.room, until: until}
	c.mu.Lock()
	_, taken := c.mu.inFlight[id]
	if !taken {
		c.mu.inFlight[id] = request
		c.mu.waiting++
	}
	c.mu.Unlock()
	if taken {
		cancel()
		<-c.slots
		return nil, c.answer(&lineError{nil, jsonrpc.CodeInvalidRequest, "id: a request with this one is in flight"})
	}
	return &jsonrpc.Request{ID: id, Method: m.method, Params: m.params, Extra: extraOf(request.answer)}, nil
}

// cancelRequest ends the work on the request that a cancellation names, and drops its
// answer. It does nothing if the answer is being written or was written, because the
// notification may arrive late. The protocol forbids clients to cancel initialize.
func (c *connection) cancelRequest(m message) {
	id := m.requestID()
	if id == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	request := c.mu.inFlight[idOf(id)]
	if request == nil || request.isCancelled || request.method == "initialize" {
		return
	}
	request.isCancelled = true
	request.cancel()
	c.settle()
}

// drain waits until every request is answered or the connection gives up, and
// returns io.EOF.
func (c *connection) drain() error {
	select {
	case <-c.whenIdle():
	case <-c.gaveUp:
	case <-c.closed:
	}
	return io.EOF
}

// whenIdle returns a channel that is closed as soon as every answer is written.
func (c *connection) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	idle := make(chan struct{})
	if c.mu.waiting == 0 {
		close(idle)
	} else {
		c.mu.idle = idle
	}
	return idle
}

// Write writes a message, and notes that a request is answered.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	response, ok := msg.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.writeLine(jsonText(text))
	}
	// As soon as it has the answer, a client may use the ID again.
	c.mu.Lock()
	request, known := c.mu.inFlight[response.ID]
	delete(c.mu.inFlight, response.ID)
	c.mu.Unlock()
	if !known {
		return nil // it was answered already
	}
	defer c.answered(request)
	defer request.answer.discard()
	switch {
	case request.isCancelled:
		return nil
	case response.Error != nil:
		return c.writeLine(errorLine(request.id, asError(response.Error)))
	case !request.answer.done:
		return c.writeLine(resultLine(request.id, jsonText(response.Result)))
	}
	call := &callResult{result: response.Result, answer: request.answer}
	return errors.Join(c.writeLine(resultLine(request.id, call)), call.err)
}

// answered gives back the slot of a request. Its ID is no longer in flight.
func (c *connection) answered(request *pendingRequest) {
	request.cancel()
	<-c.slots
	if request.isCancelled {
		return // drain does not wait for it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
}

// settle notes that drain need not wait for a request any longer. The caller holds c.mu.
func (c *connection) settle() {
	c.mu.waiting--
	if c.mu.waiting == 0 && c.mu.idle != nil {
		close(c.mu.idle)
		c.mu.idle = nil
	}
}

// answer writes the answer to a line that is not a message.
func (c *connection) answer(wrong *lineError) error {
	return c.writeLine(errorLine(wrong.id, responseError{Code: wrong.code, Message: wrong.why}))
}

// writeLine writes v as a line of JSON. A long line goes out piece by piece.
func (c *connection) writeLine(v any) error {
	c.out.Lock()
	defer c.out.Unlock()
	var e wire.Encoder
	e.StreamTo(c.out.Writer)
	e.Value(v)
	e.Newline()
	return e.Close()
}
