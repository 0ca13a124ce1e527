package mcp

import (
	"context"
	"errors"
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
	// partSize is the size of the pieces of a text, in bytes.
	partSize = 64 << 10
)

// freeParts keeps the memory of written texts for the next ones, because the
// garbage collector would free it late.
var freeParts = sync.Pool{New: func() any { return new([partSize]byte) }}

// errAnswerTooLong is the error of printing more than maxAnswer bytes.
var errAnswerTooLong = errors.New("an answer of more than 16 MiB")

// An answer is the text of the result of one call. The tool prints it and the
// connection writes it. The SDK never sees it, because it would copy it several
// times. An answer is not safe for concurrent use.
type answer struct {
	room    *semaphore.Weighted // maxWaiting, for all answers
	held    int64               // bytes of room that this answer holds
	parts   []*[partSize]byte
	size    int // bytes of all parts
	isError bool
	done    bool // the tool has printed all of it
}

// print appends p to the text. The first call waits for room for the largest answer:
// the size of this one is not known before its end, and answers that wait for more
// room could wait for each other.
func (a *answer) print(ctx context.Context, p []byte) error {
	if a.held == 0 {
		if err := a.room.Acquire(ctx, maxAnswer); err != nil {
			return err
		}
		a.held = maxAnswer
	}
	if a.size+len(p) > maxAnswer {
		return errAnswerTooLong
	}
	a.append(p)
	return nil
}

func (a *answer) append(p []byte) {
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
func (a *answer) text() (pieces [][]byte) {
	left := a.size
	for _, part := range a.parts {
		n := min(left, partSize)
		pieces = append(pieces, part[:n])
		left -= n
	}
	return pieces
}

// Encode writes the text as a string.
func (a *answer) Encode(e *wire.Encoder) { e.Text(a.text()...) }

// finish ends the text and releases the room that it does not need.
func (a *answer) finish() {
	a.done = true
	a.shrink(int64(len(a.parts) * partSize))
}

// discard forgets the text.
func (a *answer) discard() {
	for _, part := range a.parts {
		freeParts.Put(part)
	}
	a.parts, a.size = nil, 0
	a.shrink(0)
}

// fail replaces the text by the text of a failure, which is short and needs no room.
func (a *answer) fail(text []byte) {
	a.discard()
	a.append(text)
	a.isError = true
}

func (a *answer) shrink(size int64) {
	if size < a.held {
		a.room.Release(a.held - size)
		a.held = size
	}
}

// A printer prints an answer as an [io.Writer].
type printer func(p []byte) error

func (print printer) Write(p []byte) (int, error) {
	if err := print(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// answerKey is the key of the answer in a request.
const answerKey = "answer"

// extraOf returns the extra of a request that carries a. The SDK passes it on to
// the handler of the tool and does not read it. It is meant for the claims of a
// token, but no other field of a request can carry a value.
func extraOf(a *answer) *sdk.RequestExtra {
	return &sdk.RequestExtra{TokenInfo: &auth.TokenInfo{Extra: map[string]any{answerKey: a}}}
}

// answerTo returns the answer that the connection will write to a request.
func answerTo(req *sdk.CallToolRequest) *answer {
	return req.Extra.TokenInfo.Extra[answerKey].(*answer)
}
