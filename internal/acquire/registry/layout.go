package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/wire"
)

// A layoutDir is a directory with an OCI image layout. Unlike the store of oras-go, it writes
// every file under another name first, so a killed push leaves a sound layout, and it
// refuses pipes and indexes that are too large.
type layoutDir struct {
	root *os.Root
	lock *flock.Flock // nil for reading
}

const maxLayoutIndex = 4 << 20

// openLayout opens a layout for reading.
func openLayout(dir string) (*layoutDir, error) {
	root, err := files.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Errorf(fault.CacheMissing, "there is no directory %s", dir)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "open %s: %w", dir, fault.Cause(err))
	}
	l := &layoutDir{root: root}
	if _, err := files.ReadPlain(l.root, ocispec.ImageLayoutFile, nil, maxManifest); err != nil {
		l.Close()
		return nil, fault.Errorf(fault.CacheInvalid, "%s is not an OCI layout: %w", dir, fault.Cause(err))
	}
	return l, nil
}

// createLayout opens a layout for a push, and makes it unless it exists. Other pushes to
// the same layout wait.
func createLayout(ctx context.Context, dir string) (_ *layoutDir, err error) {
	found, err := files.Entries(dir)
	if err != nil {
		return nil, err
	}
	for name := range found { // of another push, which is about to begin
		if replace.IsTransient(name) {
			delete(found, name)
		}
	}
	if len(found) > 0 && found[ocispec.ImageLayoutFile] == nil {
		return nil, fault.Errorf(fault.IO, "%s is not an OCI layout, nor an empty directory: choose another directory", dir)
	}
	defer func() {
		if err != nil {
			err = cmp.Or(context.Cause(ctx), fault.Errorf(fault.IO, "%s: %w", dir, fault.Cause(err)))
		}
	}()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	// This file never changes, so it can serve as the lock, which comes first: otherwise, another push
	// would see a directory that contains files but isn't a layout.
	l := &layoutDir{root: root, lock: flock.New(filepath.Join(dir, ocispec.ImageLayoutFile), flock.SetPermissions(0o666))}
	err = mark(root, os.O_EXCL)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = l.prepare(ctx)
	}
	if err != nil {
		l.Close()
		os.Remove(dir) // fails unless it is empty
		return nil, err
	}
	return l, nil
}

// mark writes the file that makes a directory a layout. It cannot be written under the lock on
// Windows.
func mark(root *os.Root, flag int) error {
	f, err := root.OpenFile(ocispec.ImageLayoutFile, os.O_WRONLY|os.O_CREATE|flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(wire.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion}))
	if err = cmp.Or(err, f.Close()); err != nil { // on a full disk
		root.Remove(ocispec.ImageLayoutFile)
	}
	return err
}

// prepare takes the lock, and removes what killed pushes left.
func (l *layoutDir) prepare(ctx context.Context) error {
	const pause = 50 * time.Millisecond
	if _, err := files.WaitForLock(ctx, l.lock, pause); err != nil {
		return err
	}
	if old, err := files.ReadPlain(l.root, ocispec.ImageLayoutFile, nil, maxManifest); err == nil && len(old) == 0 { // after a kill
		if err := mark(l.root, 0); err != nil {
			return err
		}
	}
	blobs := path.Join(ocispec.ImageBlobsDir, digest.SHA256.String())
	if err := l.root.MkdirAll(blobs, 0o777); err != nil {
		return err
	}
	for _, dir := range []string{".", blobs} {
		names, _ := fs.ReadDir(l.root.FS(), dir)
		for _, e := range names {
			if e.Type().IsRegular() && replace.IsTransient(e.Name()) {
				l.root.Remove(path.Join(dir, e.Name()))
			}
		}
	}
	return nil
}

// Close closes the layout, and lets other pushes begin.
func (l *layoutDir) Close() {
	if l.lock != nil {
		l.lock.Unlock()
	}
	l.root.Close()
}

// index returns the manifests of the layout.
func (l *layoutDir) index() (index ocispec.Index, err error) {
	data, err := files.ReadPlain(l.root, ocispec.ImageIndexFile, nil, maxLayoutIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return ocispec.Index{}, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &index)
	}
	if err != nil {
		return index, fault.Errorf(fault.CacheInvalid, "%s: %w", ocispec.ImageIndexFile, fault.Cause(err))
	}
	return index, nil
}

// Resolve returns the manifest of a tag, or of a digest.
func (l *layoutDir) Resolve(_ context.Context, reference string) (ocispec.Descriptor, error) {
	index, err := l.index()
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	for _, m := range index.Manifests {
		if m.Annotations[ocispec.AnnotationRefName] == reference || m.Digest.String() == reference {
			return m, nil
		}
	}
	return ocispec.Descriptor{}, errdef.ErrNotFound
}

func blobPath(d digest.Digest) string {
	return path.Join(ocispec.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

// Fetch opens a blob or a manifest.
func (l *layoutDir) Fetch(_ context.Context, target ocispec.Descriptor) (io.ReadCloser, error) {
	if err := target.Digest.Validate(); err != nil {
		return nil, err
	}
	f, _, err := files.Open(l.root, blobPath(target.Digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errdef.ErrNotFound
	}
	return f, err
}

// Exists reports whether the layout contains a blob.
func (l *layoutDir) Exists(_ context.Context, target ocispec.Descriptor) (bool, error) {
	found, err := l.root.Lstat(blobPath(target.Digest))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && found.Mode().IsRegular() && found.Size() == target.Size, err
}

// Push adds a blob.
func (l *layoutDir) Push(_ context.Context, expected ocispec.Descriptor, content io.Reader) error {
	return l.write(blobPath(expected.Digest), content)
}

// PushReference adds a manifest and moves the tag to it. The digest of the manifest is not a tag,
// so such a manifest has none.
func (l *layoutDir) PushReference(ctx context.Context, expected ocispec.Descriptor, content io.Reader, tag string) error {
	if err := l.Push(ctx, expected, content); err != nil {
		return err
	}
	index, err := l.index()
	if err != nil {
		return err
	}
	index.SchemaVersion, index.MediaType = 2, ocispec.MediaTypeImageIndex
	for i, m := range index.Manifests { // as in a registry, what loses its tag can still be pulled by its digest
		if m.Annotations[ocispec.AnnotationRefName] == tag {
			index.Manifests[i].Annotations = nil
		}
	}
	index.Manifests = slices.DeleteFunc(index.Manifests, func(m ocispec.Descriptor) bool {
		return m.Digest == expected.Digest && m.Annotations == nil
	})
	expected.ArtifactType = cmp.Or(expected.ArtifactType, ArtifactType)
	if tag != expected.Digest.String() {
		expected.Annotations = map[string]string{ocispec.AnnotationRefName: tag}
	}
	index.Manifests = append(index.Manifests, expected)
	data, err := json.Marshal(index)
	if err != nil {
		return err
	}
	return l.write(ocispec.ImageIndexFile, bytes.NewReader(data))
}

// write writes a file under another name first. The lock makes that name ours.
func (l *layoutDir) write(name string, content io.Reader) (err error) {
	partial := path.Join(path.Dir(name), "."+path.Base(name)+".context-new")
	f, err := l.root.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = l.root.Rename(partial, name)
	}
	if err != nil {
		l.root.Remove(partial)
	}
	return err
}
