package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// A storage stores artifacts: a repository of a registry, or a layout.
type storage interface {
	content.Storage
	content.Resolver
	registry.ReferencePusher
	registry.ReferrerLister
}

// Network says how to reach registries.
type Network struct {
	HTTP       *http.Client
	Credential auth.CredentialFunc // nil means none
	PlainHTTP  bool                // use HTTP for all hosts, not only for this machine

	// Warn is called once for each host that is used without a login because Credential fails. It may
	// be nil.
	Warn func(warning string)

	failures sync.Map // from hosts to the reasons why there is no login
}

// repository opens the repository of a reference.
func (n *Network) repository(r ArtifactRef) *remote.Repository {
	return &remote.Repository{
		Client:             &auth.Client{Client: n.HTTP, Credential: n.login, Cache: auth.NewCache(), ClientID: "context"},
		Reference:          registry.Reference{Registry: r.Host, Repository: r.Name},
		PlainHTTP:          n.PlainHTTP || isLoopback(r.Host),
		ManifestMediaTypes: []string{ocispec.MediaTypeImageManifest, ocispec.MediaTypeImageIndex},
		MaxMetadataBytes:   maxManifest,

		ReferrerListMaxPages: maxPages,
	}
}

// ErrNoArtifact is returned for a tag or a digest that doesn't exist.
var ErrNoArtifact = errors.New("there is no such tag or digest")

// storageError adds a code to an error of a storage, and removes secrets from its text. URLs can
// contain them, for example the signature for a host with blobs.
func storageError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if _, coded := errors.AsType[*fault.Error](err); coded {
		return err
	}
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		return fault.Errorf(fault.IO, "%w", ErrDenied)
	}
	if errors.Is(err, errdef.ErrTooManyPages) {
		return fault.Errorf(fault.CacheInvalid, "the registry lists what is attached to it on more than %d pages", maxPages)
	}
	if errors.Is(err, errdef.ErrNotFound) {
		return fault.Errorf(fault.CacheMissing, "%w", ErrNoArtifact)
	}
	if response, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		return responseError(response)
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		return fault.Errorf(fault.IO, "%s", printable(inner.Err.Error()))
	}
	text := printable(err.Error())
	if strings.Contains(text, "mismatch") { // of sizes, media types or digests; these errors have no types
		return fault.Errorf(fault.CacheInvalid, "%s", text)
	}
	return fault.Errorf(fault.IO, "%s", text)
}

func responseError(r *errcode.ErrorResponse) error {
	text := fmt.Sprintf("the registry answers %d %s", r.StatusCode, http.StatusText(r.StatusCode))
	for _, e := range r.Errors {
		e.Detail = nil // of any size
		text += ": " + printable(e.Error())
		break
	}
	switch r.StatusCode {
	case http.StatusNotFound:
		return fault.Errorf(fault.CacheMissing, "%w (%s)", ErrNoArtifact, text)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.Errorf(fault.IO, "%s: %w", text, ErrDenied)
	}
	return fault.Errorf(fault.IO, "%s", text)
}

// ErrDenied is returned if the registry rejects the credentials, or requires some.
var ErrDenied = errors.New("the registry refuses access")

var afterHost = lazy.Regexp(`([a-z][a-z0-9+.-]*://)(?:[^\s"/]*@)?([^\s"/?]*)[^\s"]*`)

// printable bounds a text from a server, makes it fit a line, and shortens URLs to their
// hosts.
func printable(text string) string {
	const limit = 300
	text = afterHost().ReplaceAllString(text, "$1$2")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return words.Printable(text)
}

// A resumable reads a blob, and asks for the rest when the connection breaks.
type resumable struct {
	ctx  context.Context
	from storage
	blob ocispec.Descriptor
	body io.ReadCloser // nil if it broke
	at   int64
	left int // attempts
}

func newResumable(ctx context.Context, from storage, blob ocispec.Descriptor) *resumable {
	const attempts = 5
	return &resumable{ctx: ctx, from: from, blob: blob, left: attempts}
}

func (r *resumable) Read(p []byte) (int, error) {
	for {
		if cause := context.Cause(r.ctx); cause != nil {
			return 0, cause
		}
		if r.body == nil {
			if err := r.open(); err != nil {
				if _, isBroken := errors.AsType[*url.Error](err); isBroken && r.left > 0 {
					continue
				}
				return 0, r.fetchError(err)
			}
		}
		n, err := r.body.Read(p)
		r.at += int64(n)
		if err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return n, err
		}
		r.body.Close()
		r.body = nil
		if r.left == 0 || r.ctx.Err() != nil || r.at >= r.blob.Size {
			return n, storageError(r.ctx, fmt.Errorf("the connection broke after %d of %d bytes: %w", r.at, r.blob.Size, err))
		}
		if n > 0 {
			return n, nil
		}
	}
}

// open opens the blob at the place where the last connection broke.
func (r *resumable) open() error {
	r.left--
	body, err := r.from.Fetch(r.ctx, r.blob)
	if err != nil {
		return err
	}
	if r.at > 0 {
		if seeker, ok := body.(io.Seeker); ok {
			_, err = seeker.Seek(r.at, io.SeekStart)
		} else {
			_, err = io.CopyN(io.Discard, body, r.at)
		}
	}
	if err != nil {
		body.Close()
		return err
	}
	r.body = body
	return nil
}

// fetchError is storageError for a blob, which must exist if the artifact is sound.
func (r *resumable) fetchError(err error) error {
	err = storageError(r.ctx, err)
	if errors.Is(err, ErrNoArtifact) {
		return fault.Errorf(fault.CacheInvalid, "the blob %s, which the manifest lists, is missing", r.blob.Digest)
	}
	return err
}

func (r *resumable) Close() {
	if r.body != nil {
		r.body.Close()
	}
}

// fetchSmall reads a manifest or a config, whose size was checked, and compares its digest.
func fetchSmall(ctx context.Context, from storage, what string, d ocispec.Descriptor) ([]byte, error) {
	body := newResumable(ctx, from, d)
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, d.Size+1))
	switch {
	case err != nil:
		return nil, storageError(ctx, err)
	case int64(len(data)) != d.Size:
		return nil, fault.Errorf(fault.CacheInvalid, "the %s doesn't contain the announced %d bytes", what, d.Size)
	case digest.FromBytes(data) != d.Digest:
		return nil, fault.Errorf(fault.CacheInvalid, "the %s hashes to %s instead of %s", what, digest.FromBytes(data), d.Digest)
	}
	return data, nil
}
