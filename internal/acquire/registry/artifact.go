package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/caches/cache"
)

// ArtifactType says in a manifest that an artifact is a cache.
const ArtifactType = "application/vnd.contextcompiler.cache.v1"

// Bounds for artifacts. Caches stay far below them, except for the index's origin, which is
// left out if it is larger.
const (
	maxManifest  = 64 << 10
	maxConfig    = 4 << 20
	maxOrigin    = 1 << 20
	maxBlob      = 64 << 30
	maxExpansion = 1000 // bytes of an archive for each byte of its blob, plus expansionSlack
	maxDocuments = 10_000_000

	expansionSlack = 64 << 20
)

// A PackedCache describes the cache in an artifact. It is part of its config.
type PackedCache struct {
	Format        string        `json:"format"`
	CacheVersion  digest.Digest `json:"cache_version"`
	DocumentCount int64         `json:"document_count"`
	Selection     int           `json:"selection"`
	Layers        []Archive     `json:"layers"`          // documents; then the index, if there is one
	Origin        string        `json:"origin,omitzero"` // of the index, which cannot be made again without it
}

// An Archive is a layer before compression.
type Archive struct {
	Name   string        `json:"name"`
	Digest digest.Digest `json:"digest"`
	Size   int64         `json:"size"`
}

var layerNames = []string{"documents", "index"}

// An Artifact is a manifest with its config. A registry or a layout stores each as a blob.
type Artifact struct {
	Packed PackedCache
	Blobs  []ocispec.Descriptor // of the layers

	manifest, config []byte
}

// Digest returns the digest of the manifest, which covers everything else.
func (a *Artifact) Digest() digest.Digest { return digest.FromBytes(a.manifest) }

// Size returns the number of bytes of all blobs together.
func (a *Artifact) Size() int64 {
	size := int64(len(a.manifest) + len(a.config))
	for _, b := range a.Blobs {
		size += b.Size
	}
	return size
}

func descriptorOf(mediaType string, data []byte) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
}

// The types below fix the order of the fields. They form an image that runtimes can mount,
// because they refuse other configs.
type (
	imageConfig struct {
		Architecture string         `json:"architecture"`
		OS           string         `json:"os"`
		Config       struct{}       `json:"config"`
		RootFS       ocispec.RootFS `json:"rootfs"`
		Cache        PackedCache    `json:"io.github.contextcompiler.cache"`
	}
	imageManifest struct {
		SchemaVersion int                  `json:"schemaVersion"`
		MediaType     string               `json:"mediaType"`
		ArtifactType  string               `json:"artifactType"`
		Config        ocispec.Descriptor   `json:"config"`
		Layers        []ocispec.Descriptor `json:"layers"`
		Annotations   manifestAnnotations  `json:"annotations"`
	}
	manifestAnnotations struct {
		CacheVersion  string `json:"io.github.contextcompiler.cache.version"`
		DocumentCount string `json:"io.github.contextcompiler.cache.documents"`
		Selection     string `json:"io.github.contextcompiler.cache.selection"`
	}
)

// newArtifact returns the artifact of a cache, given the compressed form of its layers.
func newArtifact(c PackedCache, blobs []ocispec.Descriptor) *Artifact {
	config := imageConfig{Architecture: "amd64", OS: "linux", RootFS: ocispec.RootFS{Type: "layers"}, Cache: c}
	for _, layer := range c.Layers {
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, layer.Digest)
	}
	a := &Artifact{Packed: c, Blobs: blobs, config: wire.Marshal(config)}
	a.manifest = marshal(imageManifest{
		SchemaVersion: 2, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArtifactType,
		Config: descriptorOf(ocispec.MediaTypeImageConfig, a.config), Layers: blobs,
		Annotations: manifestAnnotations{
			c.CacheVersion.String(), strconv.FormatInt(c.DocumentCount, 10), strconv.Itoa(c.Selection),
		},
	})
	return a
}

// marshal returns a manifest as JSON. It contains nothing that JSON can't represent.
func marshal(manifest any) []byte {
	data, err := json.Marshal(manifest)
	if err != nil {
		panic("registry: a manifest without JSON: " + err.Error())
	}
	return data
}

// decodeManifest decodes a manifest far enough to find the config.
func decodeManifest(data []byte) (m imageManifest, err error) {
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fault.Errorf(fault.CacheInvalid, "the manifest is not JSON for an image: %w", err)
	}
	if m.ArtifactType != ArtifactType {
		return m, fault.Errorf(fault.CacheInvalid, "it is not a cache: the artifact type is %q instead of %q", m.ArtifactType, ArtifactType)
	}
	for _, d := range append([]ocispec.Descriptor{m.Config}, m.Layers...) {
		if d.Digest.Validate() != nil || d.Digest.Algorithm() != digest.SHA256 {
			return m, fault.Errorf(fault.CacheInvalid, "the manifest contains the digest %q", d.Digest)
		}
		if d.Size < 0 || d.Size > maxBlob {
			return m, fault.Errorf(fault.CacheInvalid, "the manifest lists a blob of %d bytes, of at most %d", d.Size, int64(maxBlob))
		}
	}
	if m.Config.Size > maxConfig {
		return m, fault.Errorf(fault.CacheInvalid, "the config has %d bytes, of at most %d", m.Config.Size, maxConfig)
	}
	return m, nil
}

// decodeArtifact decodes an artifact. It fails with [fault.CacheInvalid] unless it is within
// bounds, and newArtifact returns the same bytes for the same cache.
func decodeArtifact(manifest, config []byte) (*Artifact, error) {
	m, err := decodeManifest(manifest)
	if err != nil {
		return nil, err
	}
	var c imageConfig
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, fault.Errorf(fault.CacheInvalid, "the config is not JSON for an image: %w", err)
	}
	var blobs []ocispec.Descriptor
	for _, d := range m.Layers { // without other fields, which this program doesn't write
		blobs = append(blobs, ocispec.Descriptor{MediaType: d.MediaType, Digest: d.Digest, Size: d.Size})
	}
	if err := c.Cache.check(blobs); err != nil {
		return nil, fault.Errorf(fault.CacheInvalid, "the config: %w", err)
	}
	a := newArtifact(c.Cache, blobs)
	switch {
	case !bytes.Equal(a.config, config):
		return nil, fault.Errorf(fault.CacheInvalid, "the config differs from what this program writes for the same cache")
	case !bytes.Equal(a.manifest, manifest):
		return nil, fault.Errorf(fault.CacheInvalid, "the manifest contradicts its config, or contains more than this program writes")
	}
	return a, nil
}

// check fails unless c can describe the layers of an artifact.
func (c PackedCache) check(blobs []ocispec.Descriptor) error {
	switch {
	case c.Format != cache.FormatVersion:
		return fmt.Errorf("the cache has format %q instead of %q: update the program", c.Format, cache.FormatVersion)
	case len(c.Layers) < 1 || len(c.Layers) > len(layerNames) || len(c.Layers) != len(blobs):
		return fmt.Errorf("it describes %d layers, but the manifest lists %d", len(c.Layers), len(blobs))
	case c.DocumentCount < 0 || c.DocumentCount > maxDocuments:
		return fmt.Errorf("the cache contains %d documents, of at most %d", c.DocumentCount, maxDocuments)
	case len(c.Origin) > maxOrigin:
		return errors.New("the origin is too long")
	}
	for i, layer := range c.Layers {
		blob := blobs[i]
		limit := min(maxBlob, blob.Size*maxExpansion+expansionSlack)
		switch {
		case layer.Name != layerNames[i]:
			return fmt.Errorf("expected the layer %s, got %q", layerNames[i], layer.Name)
		case layer.Size < 0 || layer.Size > limit:
			return fmt.Errorf("layer %s expands to %d bytes from %d, of at most %d", layer.Name, layer.Size, blob.Size, limit)
		case blob.MediaType != blobs[0].MediaType || blob.MediaType != mediaTypeZstd && blob.MediaType != mediaTypePlain:
			return fmt.Errorf("layer %s is of an unknown type, %q", layer.Name, blob.MediaType)
		}
	}
	return nil
}

const (
	mediaTypeZstd  = ocispec.MediaTypeImageLayerZstd
	mediaTypePlain = ocispec.MediaTypeImageLayer
)
