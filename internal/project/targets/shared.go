package targets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"

	"github.com/opencontainers/go-digest"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

// A SharedCache is a cache that a target takes from a registry or a layout instead of building it.
type SharedCache struct {
	From string               // reference, as the Contextfile spells it
	Ref  registry.ArtifactRef // the same with the directory of a layout as seen from here

	lock        string // path of the lock file
	environment Environment
}

// addShared adds a whole cache, which a registry or a layout contains.
func addShared(text string) (Addition, error) {
	ref, err := registry.ParseRef(text)
	name := path.Base(cmp.Or(ref.Name, filepath.ToSlash(ref.Layout)))
	return Addition{Name: name, Fields: []KeyValue{{"from", quoted(text)}}}, err
}

// keepShared keeps the reference of a cache.
func (r *nodeReader) keepShared(keep **SharedCache) use {
	return parsed(r, yaml12.Text, func(text string) (*SharedCache, error) {
		ref, err := registry.ParseRef(text)
		if ref.Layout != "" {
			ref.Layout = r.join(ref.Layout)
		}
		return &SharedCache{From: text, Ref: ref, lock: LockPath(r.path), environment: r.environment}, err
	}, keep)
}

// Pinned returns the pin of the cache. It fails with [fault.Stale] if the lock file doesn't list
// it.
func (s *SharedCache) Pinned() (CachePin, error) { return pinOf[CachePin](s.lock, s.From) }

// PinOf returns the pin of a cache that was fetched.
func (s *SharedCache) PinOf(stored *registry.Stored) (CachePin, error) {
	version, err := document.ParseVersion(stored.Packed.CacheVersion.String())
	if err != nil {
		return CachePin{}, fault.Errorf(fault.CacheInvalid, "%s: %w", s.From, err)
	}
	return CachePin{From: s.From, Digest: stored.Digest(), Version: version, Selection: selection.SpecOf(stored.Packed.Selection)}, nil
}

// ErrNotAsPinned means that the lock file contradicts itself about a cache.
var ErrNotAsPinned = errors.New("is not the cache that the lock file describes")

// Check fails with [ErrNotAsPinned] unless the fetched cache is the one that the pin describes.
// Somebody could have edited the lock file by hand, or merged two of them.
func (s *SharedCache) Check(pin CachePin, stored *registry.Stored) error {
	now, err := s.PinOf(stored)
	switch {
	case err != nil:
		return err
	case now.Version != pin.Version:
		err = fmt.Errorf("says %s, but it is %s", pin.Version, now.Version)
	case now != pin:
		err = fmt.Errorf("says selection %s, but it has %s", pin.Selection, now.Selection)
	default:
		return nil
	}
	return fault.Errorf(fault.Stale, "%s %w: %s %w", s.Ref.At(pin.Digest), ErrNotAsPinned, s.lock, err)
}

// put puts the pinned cache at output unless it is already there. It reads the store, or the
// directory of a layout, and never the network.
func (s *SharedCache) put(ctx context.Context, output string, jobs int) (pipeline.Report, error) {
	pin, err := s.Pinned()
	if err != nil {
		return pipeline.Report{}, err
	}
	client := registry.Client{Store: s.environment.Store, Now: s.environment.Now, Jobs: jobs}
	stored, err := client.Fetch(ctx, s.Ref.At(pin.Digest))
	if errors.Is(err, registry.ErrOffline) {
		return pipeline.Report{}, fault.Errorf(fault.IO, "%s %w: %s is not in %s", s.From, ErrNotFetched, registry.Key(pin.Digest), client.Store.Dir)
	}
	if err != nil {
		return pipeline.Report{}, err
	}
	now, err := manifestAt(stored.Dir)
	if err != nil {
		return pipeline.Report{}, err
	}
	if err := s.Check(pin, stored); err != nil {
		return pipeline.Report{}, err
	}
	before, _ := manifestAt(output) // if it is no cache, Pull decides
	report := pipeline.Report{Version: pin.Version, Documents: len(now.Documents), Selection: pin.Selection, Changes: changesOf(before, now)}
	if sameCache(stored.Dir, output) {
		return report, nil
	}
	report.Written = true
	_, err = client.Pull(ctx, s.Ref.At(pin.Digest), output, true)
	return report, err
}

// compare compares the cache at output with the pin. It fails with [ErrOutOfDate] if they differ.
func (s *SharedCache) compare(output string) (pipeline.Comparison, error) {
	pin, err := s.Pinned()
	if err != nil {
		return pipeline.Comparison{}, err
	}
	m, err := manifestAt(output)
	if err != nil {
		return pipeline.Comparison{}, err
	}
	spec := selection.SpecOf(m.Selection)
	if m.Version != pin.Version || spec != pin.Selection {
		return pipeline.Comparison{}, fault.Errorf(fault.Stale, "%s %w: it contains %s, and %s pins %s", output, ErrOutOfDate, m.Version, s.lock, pin.Version)
	}
	return pipeline.Comparison{Version: m.Version, Selection: spec, Wanted: spec, About: m.About, NewAbout: m.About, Changes: pipeline.Changes{Replaced: m.Version, Unchanged: len(m.Documents)}}, nil
}

func manifestAt(dir string) (cache.Manifest, error) {
	c, err := cache.Open(dir)
	if err != nil {
		return cache.Manifest{}, err
	}
	defer c.Close()
	return c.UncheckedManifest()
}

// changesOf returns what the documents of a cache change compared with an older cache.
func changesOf(before, now cache.Manifest) pipeline.Changes {
	changes := pipeline.Changes{Replaced: before.Version}
	old := make(map[document.ID]document.Version, len(before.Documents))
	for _, e := range before.Documents {
		old[e.ID] = e.Version
	}
	for _, e := range now.Documents {
		switch version, isOld := old[e.ID]; {
		case !isOld:
			changes.Added = append(changes.Added, e.ID)
		case version != e.Version:
			changes.Changed = append(changes.Changed, e.ID)
		default:
			changes.Unchanged++
		}
		delete(old, e.ID)
	}
	for _, e := range before.Documents {
		if _, isGone := old[e.ID]; isGone {
			changes.Removed = append(changes.Removed, e.ID)
		}
	}
	return changes
}

// sameCache reports whether a directory contains the same manifest and index as a cache. Damage
// elsewhere is for `context check` to find.
func sameCache(stored, output string) bool {
	for _, name := range []string{cache.ManifestPath, cache.IndexPath} {
		if sumOf(filepath.Join(stored, name)) != sumOf(filepath.Join(output, name)) {
			return false
		}
	}
	return true
}

// sumOf returns the hash of a file, or "" if it cannot be read.
func sumOf(path string) digest.Digest {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum, _ := digest.FromReader(f)
	return sum
}

// BuildEach builds the caches of targets as [pipeline.BuildEach] does, with a Config for each
// target. Shared caches come from the store.
func BuildEach(ctx context.Context, jobs int, chosen []Target, cfgs []pipeline.Config) iter.Seq2[pipeline.Report, error] {
	return inOrder(chosen, pipeline.BuildEach(ctx, jobs, built(chosen, cfgs)), func(t Target) (pipeline.Report, error) {
		return t.Shared.put(ctx, t.Build.Cache, jobs)
	})
}

// CheckEach compares the caches of targets as [pipeline.CheckEach] does, with a Config for each
// target. Shared caches are compared with the lock file.
func CheckEach(ctx context.Context, jobs int, chosen []Target, cfgs []pipeline.Config) iter.Seq2[pipeline.Comparison, error] {
	return inOrder(chosen, pipeline.CheckEach(ctx, jobs, built(chosen, cfgs)), func(t Target) (pipeline.Comparison, error) {
		return t.Shared.compare(t.Build.Cache)
	})
}

// built returns the configurations of the targets with sources.
func built(chosen []Target, all []pipeline.Config) (cfgs []pipeline.Config) {
	for i, t := range chosen {
		if t.Shared == nil {
			cfgs = append(cfgs, all[i])
		}
	}
	return cfgs
}

// inOrder yields a result for each target: the next of results, or that of shared.
func inOrder[Out any](chosen []Target, results iter.Seq2[Out, error], shared func(Target) (Out, error)) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		next, stop := iter.Pull2(results)
		defer stop()
		for _, t := range chosen {
			var out Out
			var err error
			if t.Shared == nil {
				out, err, _ = next()
			} else {
				out, err = shared(t)
			}
			if !yield(out, err) {
				return
			}
		}
	}
}
