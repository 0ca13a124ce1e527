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

	"github.com/contextcompiler/context/internal/base/wire"
)

const (
	// maxInFlight is how many requests can wait for their answers. Later requests wait as unread
	// lines, so no client can fill the memory.
	maxInFlight = 64
	// maxAhead is how many bytes are read ahead. Without reading ahead, the
	// connection could not see the end of the input while requests wait.
	maxAhead = 4 << 20
	// lineCost is the number of bytes of maxAhead used by a line in addition to its text.
	lineCost = 1 << 10
	// drainTime is how long requests can take after the end of the input.
	drainTime = 700 * time.Millisecond
	// cutTime is how long they can take after their cancellation.
	cutTime = 200 * time.Millisecond
)

// A connection reads and writes the lines of a client. The SDK's own connection ends at a malformed
// line, and drops the answers in flight at the end of its input. This type answers malformed lines
// instead, and waits for the answers. It returns the ID of every request in its original form, and
// writes the texts of tools itself.
type connection struct {
	lines chan inputLine // closed when the input has ended
	ahead *semaphore.Weighted
	slots chan struct{}       // filled by requests in flight
	room  *semaphore.Weighted // for answers: maxWaiting

	passing  context.Context // ends when no more requests are passed on
	stop     context.CancelFunc
	draining context.Context // ends when calls must end
	cut      context.CancelFunc
	patient  context.Context // ends when the time for the last answers is over
	giveUp   context.CancelFunc
	open     context.Context // ends with patient, and when the SDK closes the connection
	close    context.CancelFunc

	mu struct {
		sync.Mutex
		inFlight map[jsonrpc.ID]*pendingRequest
		waiting  int           // requests without a written answer
		idle     chan struct{} // closed when waiting is 0; nil unless drain waits
		unread   error         // from reading the input, except io.EOF
	}
	out struct {
		sync.Mutex // held while writing, which can take as long as the client wants
		io.Writer
	}
}

// A pendingRequest is a request without an answer.
type pendingRequest struct {
	id          []byte // as written by the client
	method      string
	answer      *resultText
	cancel      context.CancelFunc // ends the work on the answer
	isCancelled bool               // by the client, so no answer is written
}

// An inputLine is a result of readLine.
type inputLine struct {
	text []byte
	err  *lineError
}

func (l inputLine) cost() int64 {
	if l.err != nil {
		return lineCost + maxIDs
	}
	return lineCost + int64(len(l.text))
}

func newConnection(in io.Reader, out io.Writer) *connection {
	c := &connection{
		lines: make(chan inputLine, maxAhead/lineCost),
		ahead: semaphore.NewWeighted(maxAhead),
		slots: make(chan struct{}, maxInFlight),
		room:  semaphore.NewWeighted(maxWaiting),
	}
	c.passing, c.stop = context.WithCancel(context.Background())
	c.draining, c.cut = context.WithCancel(context.Background())
	c.patient, c.giveUp = context.WithCancel(context.Background())
	c.open, c.close = context.WithCancel(c.patient)
	c.mu.inFlight = map[jsonrpc.ID]*pendingRequest{}
	c.out.Writer = out
	// Nothing can interrupt a read from standard input, so this goroutine may
	// outlive the connection.
	go c.readLines(bufio.NewReaderSize(in, 64<<10))
	return c
}

// Connect implements [sdk.Transport]: a connection is its own transport.
func (c *connection) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID returns "", because there is only a single session.
func (c *connection) SessionID() string { return "" }

func (c *connection) readLines(in *bufio.Reader) {
	defer close(c.lines)
	defer c.beginEnd()
	for {
		text, err := readLine(in)
		tooLong, isLong := errors.AsType[*lineError](err)
		if err != nil && !isLong {
			if err != io.EOF {
				c.mu.Lock()
				c.mu.unread = err
				c.mu.Unlock()
			}
			return
		}
		next := inputLine{text, tooLong}
		if c.ahead.Acquire(c.draining, next.cost()) != nil {
			return
		}
		c.lines <- next // never blocks, because ahead admits no more lines than the channel takes
	}
}

func (c *connection) inputError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mu.unread
}

// stopReading ends the input for the SDK. Requests in flight are still answered.
func (c *connection) stopReading() {
	c.stop()
	c.beginEnd()
}

// beginEnd limits the time of calls in flight: after drainTime they are cancelled, and after
// another cutTime the connection gives up.
func (c *connection) beginEnd() {
	time.AfterFunc(drainTime, c.cut)
	time.AfterFunc(drainTime+cutTime, c.giveUp)
}

// Close implements [sdk.Connection].
func (c *connection) Close() error {
	c.close()
	c.cut()
	return nil
}

// Read returns the next message, and answers lines without a message. At the end of the input, it
// waits for the answers in flight before it returns io.EOF.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-c.open.Done():
			return nil, io.EOF
		case <-c.passing.Done():
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

// accept returns the message in a line, or nil if there is nothing to pass on.
func (c *connection) accept(next inputLine) (jsonrpc.Message, error) {
	if next.err != nil {
		return nil, c.answer(next.err)
	}
	if len(bytes.TrimSpace(skipMarks(next.text))) == 0 {
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

// begin waits for a slot, and records a request as pending.
func (c *connection) begin(m message) (jsonrpc.Message, error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.open.Done():
		return nil, io.EOF
	case <-c.passing.Done():
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
		return nil, c.answer(&lineError{code: jsonrpc.CodeInvalidRequest, why: "id: already used by a request in flight"})
	}
	return &jsonrpc.Request{ID: id, Method: m.method, Params: m.params, Extra: extraOf(request.answer)}, nil
}

// cancelRequest ends the work on the request named in a cancellation, and drops the answer. It does
// nothing if the answer is already being written, because notifications may arrive late. The
// protocol does not allow clients to cancel initialize.
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

// drain waits until every request is answered or the connection gives up. It returns io.EOF.
func (c *connection) drain() error {
	select {
	case <-c.whenIdle():
	case <-c.open.Done():
	}
	return io.EOF
}

// whenIdle returns a channel which is closed once every answer is written.
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

// Write writes a message. If it is a response, its request is no longer pending.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	response, ok := msg.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.writeLine(jsonText(text))
	}
	// As soon as the client reads the answer, it may use the ID again.
	c.mu.Lock()
	request, known := c.mu.inFlight[response.ID]
	delete(c.mu.inFlight, response.ID)
	c.mu.Unlock()
	if !known {
		return nil // already answered
	}
	defer c.answered(request)
	defer request.answer.discard()
	if request.isCancelled {
		return nil
	}
	return c.writeLine(answerLine(request.id, response, request.answer))
}

// answered releases the slot of a request once it is no longer in flight.
func (c *connection) answered(request *pendingRequest) {
	request.cancel()
	<-c.slots
	if request.isCancelled {
		return // cancelRequest has settled it
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
}

// settle records that drain no longer needs to wait for a request. The caller must hold c.mu.
func (c *connection) settle() {
	c.mu.waiting--
	if c.mu.waiting == 0 && c.mu.idle != nil {
		close(c.mu.idle)
		c.mu.idle = nil
	}
}

// answer writes the answers to a line without a message.
func (c *connection) answer(wrong *lineError) error {
	for _, line := range wrong.answers() {
		if err := c.writeLine(line); err != nil {
			return err
		}
	}
	return nil
}

// writeLine writes v as a line of JSON, in pieces if it is long.
func (c *connection) writeLine(v any) error {
	c.out.Lock()
	defer c.out.Unlock()
	var e wire.Encoder
	e.StreamTo(c.out.Writer)
	e.Value(v)
	e.Newline()
	return e.Close()
}
