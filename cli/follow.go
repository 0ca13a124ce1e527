package cli

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contextcompiler/context/internal/parallel"
	"github.com/contextcompiler/context/internal/registry"
	"github.com/contextcompiler/context/mcp"
)

// A follower checks from time to time whether the tags of served caches have moved, and then serves the new
// caches. If a check fails, the server keeps the old caches.
type follower struct {
	every  time.Duration // 0 means never
	client *registry.Client
	tags   []*followedTag
}

// A followedTag is a cache that is served by its tag.
type followedTag struct {
	name string
	ref  registry.ArtifactRef
	dir  atomic.Pointer[string] // in the store
}

// follow returns a function that returns the current directory of a cache.
func (f *follower) follow(named mcp.NamedCache, ref registry.ArtifactRef) func() string {
	tag := &followedTag{name: named.Name, ref: ref}
	tag.dir.Store(&named.Path)
	f.tags = append(f.tags, tag)
	return func() string { return *tag.dir.Load() }
}

// during calls serve, and checks the tags until it returns.
func (f *follower) during(ctx context.Context, log *slog.Logger, serve func(context.Context) error) error {
	if len(f.tags) == 0 {
		return serve(ctx)
	}
	const both = 2
	looking, stop := context.WithCancel(ctx)
	_, err := parallel.Each(context.WithoutCancel(ctx), both, both, func(_ context.Context, _, i int) (struct{}, error) {
		if i == 0 {
			defer stop()
			return struct{}{}, serve(ctx)
		}
		f.look(looking, log)
		return struct{}{}, nil
	})
	return err
}

func (f *follower) look(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(f.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, tag := range f.tags {
			f.refresh(ctx, log, tag)
		}
	}
}

// refresh fetches the cache that a tag names now. A cache only reaches the store after its full check.
func (f *follower) refresh(ctx context.Context, log *slog.Logger, tag *followedTag) {
	f.client.Now = time.Now()
	stored, err := f.client.Fetch(ctx, tag.ref, false)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn("cannot refresh the cache, so the old version is still served", "cache", tag.name, "error", err)
	case stored.Dir != *tag.dir.Load():
		tag.dir.Store(&stored.Dir)
		log.Info("serving a new cache", "cache", tag.name, "digest", stored.Digest().String())
	}
}
