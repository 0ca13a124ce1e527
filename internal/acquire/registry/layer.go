package registry

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
)

// maxWindow is the largest window of zstd that a reader has to keep in memory. Our encoder
// uses 8 MiB.
const maxWindow = 32 << 20

// A summer counts and hashes the bytes that it receives.
type summer struct {
	hash.Hash
	n int64
}

func newSummer() *summer { return &summer{Hash: sha256.New()} }

func (s *summer) Write(p []byte) (int, error) {
	s.n += int64(len(p))
	return s.Hash.Write(p)
}

func (s *summer) digest() digest.Digest { return digest.NewDigest(digest.SHA256, s.Hash) }

// writeLayer writes a layer to out. fill adds its files.
func writeLayer(out io.Writer, name string, plain bool, fill func(tarWriter) error) (Archive, ocispec.Descriptor, error) {
	blob, archive := newSummer(), newSummer()
	compressed := io.MultiWriter(out, blob)
	mediaType, to, finish := mediaTypePlain, compressed, func() error { return nil }
	if !plain {
		// A single goroutine, because the bytes must not depend on the number of processors.
		encoder, err := zstd.NewWriter(compressed, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			return Archive{}, ocispec.Descriptor{}, err
		}
		mediaType, to, finish = mediaTypeZstd, encoder, encoder.Close
	}
	// The encoder also has a method ReadFrom, which cuts blocks in other places, and io.Copy
	// would prefer it. A MultiWriter hides it.
	w := newTarWriter(io.MultiWriter(to, archive))
	for _, step := range []func() error{func() error { return fill(w) }, w.close, finish} {
		if err := step(); err != nil {
			return Archive{}, ocispec.Descriptor{}, err
		}
	}
	return Archive{name, archive.digest(), archive.n},
		ocispec.Descriptor{MediaType: mediaType, Digest: blob.digest(), Size: blob.n}, nil
}

// readLayer calls visit for each file of a layer. It returns an error of body as it is;
// otherwise, it fails with [fault.CacheInvalid] unless the bytes, before and after
// decompression, are exactly what the artifact announces. Because visit is called
// before the check is complete, it must not trust the files. Its errors need a code.
func readLayer(body io.Reader, archive Archive, blob ocispec.Descriptor, visit func(name string, size int64, content io.Reader) error) error {
	source := &errorSource{from: body}
	sum := newSummer()
	compressed := io.TeeReader(io.LimitReader(source, blob.Size), sum)
	plain := compressed
	if blob.MediaType == mediaTypeZstd {
		decoder, err := zstd.NewReader(compressed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return damagedLayer(source, archive, err)
		}
		defer decoder.Close()
		plain = decoder
	}
	// Reading one more byte than announced shows whether the archive is too long.
	bounded := &io.LimitedReader{R: plain, N: archive.Size + 1}
	plainSum, err := readTar(bounded, visit)
	if err == nil {
		_, err = io.Copy(io.Discard, compressed) // for example an empty frame at the end
	}
	if err == nil {
		var more int64
		if more, err = io.CopyN(io.Discard, source, 1); more > 0 {
			err = errors.New("there are more bytes than announced")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	switch {
	case err != nil:
		return damagedLayer(source, archive, err)
	case sum.n != blob.Size || sum.digest() != blob.Digest:
		return fault.Errorf(fault.CacheInvalid, "layer %s: its bytes hash to %s instead of %s", archive.Name, sum.digest(), blob.Digest)
	case plainSum.n != archive.Size || plainSum.digest() != archive.Digest:
		return fault.Errorf(fault.CacheInvalid, "layer %s: its archive hashes to %s instead of %s", archive.Name, plainSum.digest(), archive.Digest)
	}
	return nil
}

// damagedLayer adds a code to an error of reading a layer, unless it already has a code.
func damagedLayer(source *errorSource, archive Archive, err error) error {
	if source.err != nil {
		return source.err
	}
	if _, coded := errors.AsType[*fault.Error](err); coded {
		return err
	}
	return fault.Errorf(fault.CacheInvalid, "layer %s: %w", archive.Name, err)
}

// An errorSource remembers the error of its reader, because decoders above it can replace
// the error.
type errorSource struct {
	from io.Reader
	err  error // never io.EOF
}

func (s *errorSource) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
