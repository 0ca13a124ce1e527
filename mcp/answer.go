package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/contextcompiler/context/internal/wire"
)

const (
	// maxAnswer limits the text of one answer, in bytes.
	maxAnswer = 16 << 20
	// maxWaiting limits the texts of all answers together, in bytes, from the
	// time when a call prints them until they are written.
	maxWaiting = 64 << 20
	// maxHTTPAnswer and maxHTTPWaiting are the same over HTTP, where the SDK copies
	// each text several times.
	maxHTTPAnswer  = 4 << 20
	maxHTTPWaiting = 16 << 20
	// partSize is the size of the pieces of a text, in bytes.
	partSize = 64 << 10
)

// freeParts keeps the memory of written texts for the next ones, because the
// garbage collector would free it late.
var freeParts = sync.Pool{New: func() any { return new([partSize]byte) }}

// errAnswerTooLong is the error of printing more than an answer may have.
var errAnswerTooLong = errors.New("the answer is too long")

// An answer is the text of the result of one call. The tool prints it. On standard output
// the connection writes it, and the SDK never sees it, because it would copy it several
// times. Over HTTP the SDK writes it. An answer is not safe for concurrent use.
type resultText struct {
	most    int64               // bytes
	room    *semaphore.Weighted // for all answers
	until   context.Context     // at its end, nobody waits for the answer
	bySDK   bool                // the SDK writes it
	held    int64               // bytes of room that this answer holds
	parts   []*[partSize]byte
	size    int // bytes of all parts
	isError bool
	done    bool // the tool has printed all of it
}

func (a *resultText) append(p []byte) {
	for len(p) > 0 {
		if a.size == len(a.parts)*partSize {
			a.parts = append(a.parts, freeParts.Get().(*[partSize]byte))
		}
		n := copy(a.parts[len(a.parts)-1][a.size%partSize:], p)
		a.size += n
		p = p[n:]
	}
}

// text returns the text in pieces, valid until discard.
func (a *resultText) text() (pieces [][]byte) {
	left := a.size
	for _, part := range a.parts {
		n := min(left, partSize)
		pieces = append(pieces, part[:n])
		left -= n
	}
	return pieces
}

// Encode writes the text as a string.
func (a *resultText) Encode(e *wire.Encoder) { e.Text(a.text()...) }

// result returns the result for the SDK: with the text if the SDK writes it.
func (a *resultText) result() *sdk.CallToolResult {
	if !a.bySDK {
		return &sdk.CallToolResult{}
	}
	text := &sdk.TextContent{Text: string(bytes.Join(a.text(), nil))}
	return &sdk.CallToolResult{Content: []sdk.Content{text}, IsError: a.isError}
}

// finish ends the text and releases the room that it does not need.
func (a *resultText) finish() {
	a.done = true
	a.shrink(int64(len(a.parts) * partSize))
}

// discard forgets the text.
func (a *resultText) discard() {
	for _, part := range a.parts {
		freeParts.Put(part)
	}
	a.parts, a.size = nil, 0
	a.shrink(0)
}

// fail replaces the text by the text of a failure, which is short and needs no room.
func (a *resultText) fail(text []byte) {
	a.discard()
	a.append(text)
	a.isError = true
}

func (a *resultText) shrink(size int64) {
	if size < a.held {
		a.room.Release(a.held - size)
		a.held = size
	}
}

// A textWriter appends to an answer until it is closed. It is safe for concurrent use, because
// work may go on after its call has ended.
type textWriter struct {
	ctx      context.Context // of the call
	mu       sync.Mutex
	answer   *resultText
	isClosed bool
}

// Write waits at first for room for the largest answer: the size of this one is not known
// before its end, and answers that wait for more room could wait for each other.
func (w *textWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isClosed {
		return 0, io.ErrClosedPipe
	}
	a := w.answer
	if a.held == 0 {
		if err := a.room.Acquire(w.ctx, a.most); err != nil {
			return 0, err
		}
		a.held = a.most
	}
	if int64(a.size+len(p)) > a.most {
		return 0, errAnswerTooLong
	}
	a.append(p)
	return len(p), nil
}

func (w *textWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isClosed = true
}

// resultKey is the key of the answer in a request on standard input.
const resultKey = "answer"

// httpResultKey is the key of the answer in the context of a request over HTTP.
type httpResultKey struct{}

// extraOf returns the extra of a request that carries a. The SDK passes it on to
// the handler of the tool and does not read it. It is meant for the claims of a
// token, but no other field of a request can carry a value.
func extraOf(a *resultText) *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{resultKey: a}}}
}

// resultOf returns the answer to a request.
func resultOf(ctx context.Context, req *sdk.CallToolRequest) *resultText {
	if a, overHTTP := ctx.Value(httpResultKey{}).(*resultText); overHTTP {
		return a
	}
	return req.Extra.TokenInfo.Extra[resultKey].(*resultText)
}
