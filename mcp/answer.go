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

	"github.com/contextcompiler/context/internal/base/wire"
)

const (
	// maxAnswer is the maximum size of an answer in bytes.
	maxAnswer = 16 << 20
	// maxWaiting is the maximum total size in bytes of the answers waiting to be written.
	maxWaiting = 64 << 20
	// The limits over HTTP are lower because many clients can share a server.
	maxHTTPAnswer  = 4 << 20
	maxHTTPWaiting = 16 << 20
)

var errAnswerTooLong = errors.New("the answer is too long")

// A resultText is the text printed by a tool. The connection or an answerWriter writes it, and
// hides it from the SDK, which would copy it several times. A resultText is not safe for concurrent
// use.
type resultText struct {
	most    int64               // maximum size in bytes
	room    *semaphore.Weighted // bytes, shared by all answers
	until   context.Context     // ends when the client no longer waits
	held    int64               // bytes of room held by this text
	parts   [][]byte
	size    int // bytes in all parts
	isError bool
	done    bool // the text is complete
}

func (a *resultText) append(p []byte) {
	a.parts = append(a.parts, bytes.Clone(p))
	a.size += len(p)
}

// Encode writes the text as a JSON string.
func (a *resultText) Encode(e *wire.Encoder) { e.Text(a.parts...) }

// finish ends the text, and releases unused room.
func (a *resultText) finish() {
	a.done = true
	a.shrink(int64(a.size))
}

func (a *resultText) discard() {
	a.parts, a.size = nil, 0
	a.shrink(0)
}

// fail replaces the text with the message of a failure, which takes no room because it is short.
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

// A textWriter appends to a text until it is closed. It is safe for concurrent use, because
// the work may continue after its call has ended.
type textWriter struct {
	ctx      context.Context // of the call
	mu       sync.Mutex
	answer   *resultText
	isClosed bool
}

// Write appends p to the text. The first call waits for the room of the largest possible answer,
// because the size of this answer is not known yet. If answers asked for more room while they hold
// some, they could wait for each other forever.
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

// resultKey is the key of the text in a request on standard input.
const resultKey = "answer"

// httpResultKey is the key of the text in the context of a request over HTTP.
type httpResultKey struct{}

// extraOf returns an extra which carries a to the handler of the tool. The field is meant for the
// claims of a token, but the SDK doesn't read it, and no other field of a request can carry a
// value.
func extraOf(a *resultText) *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{resultKey: a}}}
}

func resultOf(ctx context.Context, req *sdk.CallToolRequest) *resultText {
	if a, overHTTP := ctx.Value(httpResultKey{}).(*resultText); overHTTP {
		return a
	}
	return req.Extra.TokenInfo.Extra[resultKey].(*resultText)
}
