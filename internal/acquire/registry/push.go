package registry

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
)

// PushOptions say how to push.
type PushOptions struct {
	Plain    bool // don't compress the layers
	NoVerify bool // trust the cache
}

// Push pushes the cache in a directory and moves the tag of r to it. Blobs that the storage
// already contains are not sent again.
//
// It fails with [fault.CacheMissing] or [fault.CacheInvalid] because of the cache, and with
// [fault.IO] because of the storage.
func (c *Client) Push(ctx context.Context, dir string, r ArtifactRef, options PushOptions) (a *Artifact, err error) {
	files, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	m, err := files.Manifest()
	if err != nil {
		return nil, err
	}
	if !options.NoVerify {
		found, err := verify.Cache(ctx, files, c.Jobs)
		if err := cmp.Or(err, cache.Damaged(dir, found.Err())); err != nil {
			return nil, err
		}
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "%w", err)
	}
	sum := sha256.Sum256([]byte(full + "\x00" + r.String()))
	err = c.Store.Work(ctx, store.EntryKey("push-"+hex.EncodeToString(sum[:])), func(work string) error {
		packed, err := pack(ctx, files, m, options.Plain, work)
		if err != nil {
			return err
		}
		a = packed.artifact
		return c.use(ctx, r, forPush, func(to storage) error { return c.send(ctx, to, packed, r.Tag) })
	})
	return a, err
}

// packedLayers are an artifact with its layers in files.
type packedLayers struct {
	artifact *Artifact
	layers   []string // paths
}

// pack writes the layers of a cache into a directory.
func pack(ctx context.Context, from *cache.Files, m cache.Manifest, plain bool, work string) (*packedLayers, error) {
	packed := PackedCache{
		Format: cache.FormatVersion, CacheVersion: digest.Digest(m.Version.String()), DocumentCount: m.DocumentCount, Selection: m.Selection,
	}
	contents := [][]string{append([]string{cache.DocumentsDir + "/"}, m.Paths()...)}
	index, err := from.OpenIndex()
	if err != nil {
		return nil, err
	}
	if index != nil {
		defer index.Close()
		origin, err := index.Origin()
		if err != nil {
			return nil, cache.Damaged(from.Path(), fault.Errorf(fault.CacheInvalid, "%s: %w", cache.IndexPath, err))
		}
		if len(origin) <= maxOrigin {
			packed.Origin = string(origin)
		}
		contents = append(contents, []string{cache.IndexPath})
	}
	p := &packedLayers{}
	var blobs []ocispec.Descriptor
	for i, files := range contents {
		path := filepath.Join(work, layerNames[i])
		archive, blob, err := packLayer(ctx, from, files, path, plain)
		if err != nil {
			return nil, err
		}
		packed.Layers = append(packed.Layers, archive)
		blobs = append(blobs, blob)
		p.layers = append(p.layers, path)
	}
	p.artifact = newArtifact(packed, blobs)
	if err := packed.check(blobs); err != nil {
		return nil, fault.Errorf(fault.CacheInvalid, "%s cannot be pushed: %w", from.Path(), err)
	}
	return p, nil
}

// packLayer writes a layer with files of a cache to a path, which ends in the name of the layer.
func packLayer(ctx context.Context, from *cache.Files, files []string, path string, plain bool) (archive Archive, blob ocispec.Descriptor, err error) {
	f, err := os.Create(path)
	if err != nil {
		return archive, blob, fault.Errorf(fault.IO, "%w", err)
	}
	name := filepath.Base(path)
	archive, blob, err = writeLayer(f, name, plain, func(w tarWriter) error {
		for _, file := range files {
			if err := addFile(ctx, w, from, file); err != nil {
				return err
			}
		}
		return nil
	})
	err = cmp.Or(err, f.Close())
	if err != nil && !errors.Is(err, context.Canceled) {
		if _, coded := errors.AsType[*fault.Error](err); !coded {
			err = fault.Errorf(fault.IO, "write the layer %s: %w", name, err)
		}
	}
	return archive, blob, err
}

// addFile adds a file of a cache, or a directory if the name ends in a slash.
func addFile(ctx context.Context, w tarWriter, from *cache.Files, file string) error {
	if strings.HasSuffix(file, "/") {
		return w.add(file, 0, nil)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	f, found, err := from.OpenFile(file)
	if err != nil {
		return cache.Damaged(from.Path(), err)
	}
	defer f.Close()
	return w.add(file, found.Size(), f)
}

// send pushes the blobs, then the manifest, so a tag never names an incomplete artifact.
func (c *Client) send(ctx context.Context, to storage, p *packedLayers, tag string) error {
	a := p.artifact
	sent := &transferCount{observe: c.observe, total: a.Size()}
	for i, blob := range a.Blobs {
		if err := pushFile(ctx, to, blob, p.layers[i], sent); err != nil {
			return pushError(ctx, err)
		}
	}
	err := pushSmall(ctx, to, descriptorOf(ocispec.MediaTypeImageConfig, a.config), a.config)
	if err == nil {
		err = to.PushReference(ctx, descriptorOf(ocispec.MediaTypeImageManifest, a.manifest), bytes.NewReader(a.manifest), tag)
	}
	if err == nil {
		c.observe(a.Size(), a.Size())
	}
	return pushError(ctx, err)
}

// pushError is storageError for a push, which doesn't need anything to exist.
func pushError(ctx context.Context, err error) error {
	err = storageError(ctx, err)
	if errors.Is(err, ErrNoArtifact) {
		return fault.Errorf(fault.IO, "the registry doesn't allow a repository of this name: create it first, or choose another name")
	}
	return err
}

// pushFile pushes a blob from a file, unless the storage contains it.
func pushFile(ctx context.Context, to storage, blob ocispec.Descriptor, path string, sent *transferCount) error {
	found, err := to.Exists(ctx, blob)
	if err != nil {
		return err
	}
	if found {
		sent.add(blob.Size)
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fault.Errorf(fault.IO, "%w", err)
	}
	defer f.Close()
	return to.Push(ctx, blob, io.TeeReader(f, sent))
}

// A transferCount counts the bytes that were sent or received.
type transferCount struct {
	observe     func(done, total int64)
	done, total int64
}

func (p *transferCount) Write(b []byte) (int, error) {
	p.add(int64(len(b)))
	return len(b), nil
}

func (p *transferCount) add(n int64) {
	p.done += n
	p.observe(p.done, p.total)
}
