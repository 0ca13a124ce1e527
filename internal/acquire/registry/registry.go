// Package registry moves caches through OCI registries, and through directories with an OCI
// layout.
//
//	cache ──Push──> layers: sorted tar, zstd ──> manifest ──> registry or layout
//	cache <──Pull── entry of the store <──check, unpack, verify──┘
//
// docs/distribution.md specifies the artifact. It contains no times and nothing about the
// machine, so the same cache always has the same digest, wherever it is pushed from.
//
// What a registry sends is checked while it arrives: sizes, digests, and an archive that can
// only contain the plain files of a cache. A cache reaches the store, and from there its
// directory, only after the full check of package verify. Memory doesn't depend on the size
// of a layer.
package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
)

// A Client pushes and pulls caches.
type Client struct {
	Store   store.Store
	Network *Network  // nil means it must not be used
	Now     time.Time // marks entries of the store as used
	Jobs    int       // documents at once; 0 means one per CPU

	// Observe is called with the number of bytes sent or received so far, and the total.
	// It may be nil.
	Observe func(done, total int64)
}

// ErrOffline is returned if an answer needs the network, which the Client must not use.
var ErrOffline = errors.New("the store does not contain it, and the network must not be used")

// Why a storage is opened: only a push makes a layout.
const forReading, forPush = false, true

// open opens the storage of a reference.
func (c *Client) open(ctx context.Context, r ArtifactRef, isPush bool) (_ storage, closeStorage func(), err error) {
	switch {
	case r.Layout == "" && c.Network == nil:
		return nil, nil, fault.Errorf(fault.IO, "%w", ErrOffline)
	case r.Layout == "":
		return c.Network.repository(r), func() {}, nil
	}
	var l *layoutDir
	if isPush {
		l, err = createLayout(ctx, r.Layout)
	} else {
		l, err = openLayout(r.Layout)
	}
	if err != nil {
		return nil, nil, err
	}
	return l, l.Close, nil
}

// use calls do with the storage of a reference, and names the reference in errors.
func (c *Client) use(ctx context.Context, r ArtifactRef, isPush bool, do func(storage) error) error {
	s, closeStorage, err := c.open(ctx, r, isPush)
	if err == nil {
		defer closeStorage()
		err = do(s)
	}
	return c.about(r, storageError(ctx, err))
}

func (c *Client) observe(done, total int64) {
	if c.Observe != nil {
		c.Observe(done, total)
	}
}

// about names the reference in an error, and keeps the code. If access is denied, it says why there
// was no login.
func (c *Client) about(r ArtifactRef, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if why := c.Network.whyNoLogin(r.Host); why != "" && errors.Is(err, ErrDenied) {
		err = fault.Errorf(fault.IO, "%w without a login, and %s", err, why)
	}
	if _, coded := errors.AsType[*fault.Error](err); !coded {
		return fault.Errorf(fault.IO, "%s: %w", r, fault.Cause(err))
	}
	return fmt.Errorf("%s: %w", r, err)
}
