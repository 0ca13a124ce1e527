package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/mcp"
)

// A follower looks after the caches of a server that are in the store. It keeps them there, and
// checks from time to time whether their tags have moved. Then it serves the new caches. If a check
// fails, the server keeps the old caches.
type follower struct {
	every  time.Duration // 0 means never
	client *registry.Client
	tags   []*followedTag
	pinned []string // directories of the other caches in the store

	mu sync.Mutex // held while a tag gets another directory
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

// during calls serve, and looks after the caches until it returns.
func (f *follower) during(ctx context.Context, log *slog.Logger, serve func(context.Context) error) error {
	looking, stop := context.WithCancel(ctx)
	tasks := []func(){func() { f.keep(looking) }}
	for _, tag := range f.tags { // each for itself, because a registry can be slow
		tasks = append(tasks, func() { each(looking, f.every, func() { f.refresh(looking, log, tag) }) })
	}
	if len(f.dirs()) == 0 {
		tasks = nil
	}
	jobs := 1 + len(tasks)
	_, err := parallel.Each(context.WithoutCancel(ctx), jobs, jobs, func(_ context.Context, _, i int) (struct{}, error) {
		if i == 0 {
			defer stop()
			return struct{}{}, serve(ctx)
		}
		tasks[i-1]()
		return struct{}{}, nil
	})
	return err
}

// each calls do after each pause until ctx ends.
func each(ctx context.Context, pause time.Duration, do func()) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		do()
	}
}

// keep notes each day that the caches are used, for systems that cannot lock directories.
func (f *follower) keep(ctx context.Context) {
	const day = 24 * time.Hour
	each(ctx, day, func() {
		for _, dir := range f.dirs() {
			_, _ = f.client.Store.Find(entryKey(dir), time.Now())
		}
	})
}

// dirs returns the directories that are served.
func (f *follower) dirs() []string {
	dirs := slices.Clone(f.pinned)
	for _, tag := range f.tags {
		dirs = append(dirs, *tag.dir.Load())
	}
	return dirs
}

// entryKey returns the entry of the store that contains the cache in a directory.
func entryKey(dir string) store.EntryKey { return store.EntryKey(filepath.Base(filepath.Dir(dir))) }

// refresh fetches the cache that a tag names now. A cache only reaches the store after its full
// check.
func (f *follower) refresh(ctx context.Context, log *slog.Logger, tag *followedTag) {
	client := *f.client
	client.Now = time.Now()
	stored, err := client.Fetch(ctx, tag.ref)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		log.Warn("cannot refresh the cache, so the old version is still served", "cache", tag.name, "error", err)
	case stored.Dir != *tag.dir.Load():
		f.move(tag, stored.Dir)
		log.Info("serving a new cache", "cache", tag.name, "digest", stored.Digest().String())
	}
}

// move serves another directory. The old one can then be removed from the store, unless another tag
// needs it.
func (f *follower) move(tag *followedTag, dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := tag.dir.Swap(&dir)
	_, _ = f.client.Store.Find(entryKey(dir), time.Now()) // another tag may just have released it
	if !slices.Contains(f.dirs(), *old) {
		f.client.Store.Release(entryKey(*old), time.Now())
	}
}
