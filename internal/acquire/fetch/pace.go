package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A server must send this many bytes in each period of this length. A bound for the whole transfer
// would fail on slow lines, and a bound for silence alone would never end if a server trickles.
const (
	patience = 2 * time.Minute
	minBytes = 120_000
)

// errSlow means that a server sends nothing, or nearly nothing.
var errSlow = errors.New("the server sends too little")

// A pace ends the context of a transfer that makes no progress.
type pace struct {
	period time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
	bytes  atomic.Int64 // received, or as many for work on this machine
}

// keepPace returns a context that ends if a transfer makes no progress. The caller must stop the
// pace.
func (f Fetcher) keepPace(ctx context.Context) (context.Context, *pace) {
	p := &pace{period: cmp.Or(f.patience, patience)}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.watch(0)
	return p.ctx, p
}

// watch looks again after each period.
func (p *pace) watch(before int64) {
	period, stop := context.WithTimeout(p.ctx, p.period)
	context.AfterFunc(period, func() {
		stop()
		now := p.bytes.Load()
		if now-before < minBytes {
			p.cancel(fmt.Errorf("%w: fewer than %d bytes in %v; try again later", errSlow, minBytes, p.period))
			return
		}
		p.watch(now)
	})
}

// Write counts the bytes of a download.
func (p *pace) Write(b []byte) (int, error) {
	p.bytes.Add(int64(len(b)))
	return len(b), nil
}

func (p *pace) stop() { p.cancel(nil) }

// reason returns why the pace ended the transfer, or the error of the transfer.
func (p *pace) reason(err error) error {
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	return err
}
