package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
)

// The names in an entry of the store.
const (
	cacheDir     = "cache"
	manifestFile = "manifest.json" // of the artifact
	configFile   = "config.json"
)

// A Stored cache is in the store.
type Stored struct {
	*Artifact
	Dir   string // of the cache
	IsNew bool   // whether this call brought it there, and checked it
}

// Key returns the key of the store's entry for an artifact.
func Key(d digest.Digest) store.EntryKey { return store.EntryKey("oci-" + d.Encoded()) }

// Resolve returns the digest that a reference names. Without a tag to look up, it needs no
// network.
//
// It fails with [fault.CacheMissing] if the tag doesn't exist, and with [fault.IO] if the
// storage cannot be reached.
func (c *Client) Resolve(ctx context.Context, r ArtifactRef) (digest.Digest, error) {
	if r.Digest != "" {
		return r.Digest, nil
	}
	var d ocispec.Descriptor
	err := c.use(ctx, r, forReading, func(from storage) (err error) {
		d, err = resolve(ctx, from, r.Tag)
		return err
	})
	return d.Digest, err
}

// resolve returns the descriptor of a manifest, after looking at its size and its type.
func resolve(ctx context.Context, from storage, reference string) (ocispec.Descriptor, error) {
	d, err := from.Resolve(ctx, reference)
	switch {
	case err != nil:
		return d, storageError(ctx, err)
	case d.Digest.Validate() != nil || d.Digest.Algorithm() != digest.SHA256:
		return d, fault.Errorf(fault.CacheInvalid, "its digest is %q", printable(string(d.Digest)))
	case d.MediaType != ocispec.MediaTypeImageManifest:
		return d, fault.Errorf(fault.CacheInvalid, "it is not a cache: its type is %q instead of %q", printable(d.MediaType), ocispec.MediaTypeImageManifest)
	case d.Size < 0 || d.Size > maxManifest:
		return d, fault.Errorf(fault.CacheInvalid, "its manifest has %d bytes, of at most %d", d.Size, maxManifest)
	}
	return d, nil
}

// Fetch brings a cache into the store unless it is already there.
//
// It fails with [fault.CacheInvalid] if anything about the artifact is wrong, with
// [fault.CacheMissing] if it doesn't exist, and with [fault.IO] if the storage cannot be
// reached or the system refuses. After a failure, the store doesn't contain the cache.
func (c *Client) Fetch(ctx context.Context, r ArtifactRef) (*Stored, error) {
	d, err := c.Resolve(ctx, r)
	if err != nil {
		return nil, err
	}
	at := r.At(d)
	isNew := false
	entry, err := c.Store.Find(Key(d), c.Now)
	if err == nil && entry == "" {
		err = c.Store.Fill(ctx, Key(d), func(entry *replace.Staging, _ string) error {
			isNew = true
			return c.fill(ctx, at, entry)
		})
		entry = c.Store.Path(Key(d))
	}
	if err != nil {
		return nil, c.about(at, err)
	}
	a, err := readStored(entry, d)
	if err != nil {
		return nil, c.about(at, err)
	}
	return &Stored{Artifact: a, Dir: filepath.Join(entry, cacheDir), IsNew: isNew}, nil
}

// readStored reads the artifact of an entry.
func readStored(entry string, d digest.Digest) (*Artifact, error) {
	root, err := files.OpenRoot(entry)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "open %s: %w", entry, fault.Cause(err))
	}
	defer root.Close()
	manifest, err := files.ReadPlain(root, manifestFile, nil, maxManifest)
	if err == nil && digest.FromBytes(manifest) != d {
		err = fmt.Errorf("%s doesn't hash to the name of the directory", manifestFile)
	}
	var config []byte
	if err == nil {
		config, err = files.ReadPlain(root, configFile, nil, maxConfig)
	}
	if err == nil {
		_, err = root.Lstat(cacheDir + "/" + cache.ManifestPath)
	}
	if err != nil {
		return nil, damagedEntry(entry, err)
	}
	a, err := decodeArtifact(manifest, config)
	if err != nil {
		return nil, damagedEntry(entry, err)
	}
	return a, nil
}

// damagedEntry only keeps the text of an error, because a build doesn't repair the store. If the
// system refuses to read the copy, that isn't damage, and removing the copy wouldn't help.
func damagedEntry(entry string, err error) error {
	reason, isRefusal := errors.AsType[syscall.Errno](err)
	isMissing := slices.Contains([]syscall.Errno{syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP}, reason)
	if isRefusal && !isMissing || fault.CodeOf(err) == fault.IO {
		return fault.Errorf(fault.IO, "open %s: %w", entry, fault.Cause(err))
	}
	return fault.Errorf(fault.CacheInvalid, "the copy in the store is damaged (%v): remove %s, then try again", fault.Cause(err), entry)
}

// fill downloads an artifact into a new entry and checks everything.
func (c *Client) fill(ctx context.Context, r ArtifactRef, entry *replace.Staging) error {
	from, closeStorage, err := c.open(ctx, r, forReading)
	if err != nil {
		return err
	}
	defer closeStorage()
	a, err := fetchArtifact(ctx, from, r)
	if err != nil {
		return err
	}
	err = cmp.Or(entry.Mkdir(cacheDir), entry.WriteFile(manifestFile, a.manifest), entry.WriteFile(configFile, a.config))
	if err != nil {
		return writeError(entry, err)
	}
	into := unpacker{entry: entry, packed: a.Packed}
	received := &transferCount{observe: c.observe, total: a.Size(), done: int64(len(a.manifest) + len(a.config))}
	for i, blob := range a.Blobs {
		body := newResumable(ctx, from, blob)
		err := readLayer(io.TeeReader(body, received), a.Packed.Layers[i], blob, into.visitorOf(i))
		body.Close()
		if err != nil {
			return err
		}
	}
	return c.check(ctx, filepath.Join(entry.Dir(), cacheDir), a.Packed)
}

// fetchArtifact fetches a manifest and its config.
func fetchArtifact(ctx context.Context, from storage, r ArtifactRef) (*Artifact, error) {
	d, err := resolve(ctx, from, r.Digest.String())
	if err == nil && d.Digest != r.Digest {
		err = fault.Errorf(fault.CacheInvalid, "the registry returned %s instead", d.Digest)
	}
	if err != nil {
		return nil, err
	}
	manifest, err := fetchSmall(ctx, from, "manifest", d)
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(manifest)
	if err != nil {
		return nil, err
	}
	config, err := fetchSmall(ctx, from, "config", ocispec.Descriptor{
		MediaType: ocispec.MediaTypeImageConfig, Digest: m.Config.Digest, Size: m.Config.Size,
	})
	if err != nil {
		return nil, err
	}
	return decodeArtifact(manifest, config)
}

// writeError adds a code and the path of a new directory to an error of the system.
func writeError(to *replace.Staging, err error) error {
	if err == nil {
		return nil
	}
	return fault.Errorf(fault.IO, "write %s: %w", to.Path(), fault.Cause(err))
}

// An unpacker writes the files of layers into an entry.
type unpacker struct {
	entry  *replace.Staging
	packed PackedCache
	files  int64
}

// visitorOf returns the visitor of the files in a layer. It only accepts names that a cache
// can contain, and as many as the config says.
func (u *unpacker) visitorOf(layer int) func(name string, size int64, content io.Reader) error {
	return func(name string, size int64, content io.Reader) error {
		switch isDocument := strings.HasPrefix(name, cache.DocumentsDir+"/") && strings.Count(name, "/") == 1; {
		case layer == 1 && name == cache.IndexPath:
		case layer == 0 && name == cache.DocumentsDir+"/":
			return writeError(u.entry, u.entry.Mkdir(cacheDir+"/"+cache.DocumentsDir))
		case layer == 0 && (isDocument || !strings.Contains(name, "/") && name != cache.IndexPath):
			const others = 2 // besides the documents
			if u.files++; u.files > u.packed.DocumentCount+others {
				return fmt.Errorf("it contains more files than %d documents need", u.packed.DocumentCount)
			}
		default:
			return fmt.Errorf("%q doesn't belong in the layer", name)
		}
		// Reading can fail because of the artifact, and writing because of the system.
		source := &errorSource{from: content}
		err := u.entry.StreamFile(cacheDir+"/"+name, func(out io.Writer) error {
			_, err := io.Copy(out, source)
			return err
		})
		if source.err != nil {
			return source.err
		}
		return writeError(u.entry, err)
	}
}

// check verifies an unpacked cache, and compares it with the config of its artifact.
func (c *Client) check(ctx context.Context, dir string, packed PackedCache) error {
	found, err := verify.Path(ctx, dir, c.Jobs)
	err = cmp.Or(err, found.Err())
	if damaged, ok := errors.AsType[*cache.DamagedError](err); ok { // its path is temporary
		return damaged.Err
	}
	if err != nil {
		return err
	}
	if found.Version.String() != packed.CacheVersion.String() || found.DocumentCount != packed.DocumentCount || found.Selection != packed.Selection {
		return fault.Errorf(fault.CacheInvalid, "the layers contain the cache %s, but the config says %s", found.Version, packed.CacheVersion)
	}
	return nil
}

// Pull fetches a cache into the store, and puts a copy at dir as a build does: complete or not at
// all, in the place of an older cache if replaceExisting is set. The copy is checked again unless
// the store has just received it.
//
// Besides the errors of [Client.Fetch], it fails with [fault.IO] if dir contains something
// that it must not replace.
func (c *Client) Pull(ctx context.Context, r ArtifactRef, dir string, replaceExisting bool) (*Stored, error) {
	out, err := cache.Receive(dir, replaceExisting)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	stored, err := c.Fetch(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := c.copyTo(ctx, out, stored); err != nil {
		return nil, err
	}
	return stored, out.Commit()
}

func (c *Client) copyTo(ctx context.Context, out *replace.Staging, stored *Stored) error {
	from, err := cache.Open(stored.Dir)
	if err != nil {
		return damagedEntry(filepath.Dir(stored.Dir), err)
	}
	defer from.Close()
	m, err := from.Manifest()
	if err != nil {
		return damagedEntry(filepath.Dir(stored.Dir), err)
	}
	if err := out.Mkdir(cache.DocumentsDir); err != nil {
		return writeError(out, err)
	}
	paths := m.Paths()
	if len(stored.Packed.Layers) > 1 {
		paths = append(paths, cache.IndexPath)
	}
	_, err = parallel.Each(ctx, c.Jobs, len(paths), func(_ context.Context, _, i int) (struct{}, error) {
		f, _, err := from.OpenFile(paths[i])
		if err != nil {
			return struct{}{}, err
		}
		defer f.Close()
		return struct{}{}, writeError(out, out.StreamFile(paths[i], func(w io.Writer) error {
			_, err := io.Copy(w, f)
			return err
		}))
	})
	if err != nil || stored.IsNew {
		return err
	}
	return stored.blame(c.check(ctx, out.Dir(), stored.Packed))
}

// Verify checks a cache in the store again, unless the store has just received it. It fails with
// [fault.CacheInvalid] and names the directory if somebody has changed the files.
func (c *Client) Verify(ctx context.Context, stored *Stored) error {
	if stored.IsNew {
		return nil
	}
	return stored.blame(c.check(ctx, stored.Dir, stored.Packed))
}

// blame says that the copy in the store is damaged, if err says that a cache is.
func (s *Stored) blame(err error) error {
	if err != nil && fault.CodeOf(err) == fault.CacheInvalid {
		return damagedEntry(filepath.Dir(s.Dir), err)
	}
	return err
}
