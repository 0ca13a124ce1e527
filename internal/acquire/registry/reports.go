package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
)

// ReportType says in a manifest that an artifact is an evaluation report about a cache.
const ReportType = "application/vnd.contextcompiler.report.v1+json"

// Bounds for reports.
const (
	MaxReport  = 4 << 20 // bytes
	maxReports = 64      // of a cache
	maxPages   = 64      // of a list of what is attached to a cache, each of at most maxManifest bytes
)

// Attach attaches a report to the cache that a reference names. The same report for the same cache
// always makes the same artifact, whose digest it returns. It fails as [Client.Push] does.
func (c *Client) Attach(ctx context.Context, r ArtifactRef, report []byte) (d digest.Digest, err error) {
	err = c.use(ctx, r, forPush, func(to storage) error {
		d, err = attach(ctx, to, r, report)
		return err
	})
	return d, err
}

func attach(ctx context.Context, to storage, r ArtifactRef, report []byte) (digest.Digest, error) {
	subject, err := to.Resolve(ctx, reference(r))
	if err != nil {
		return "", err
	}
	blob, empty := descriptorOf(ReportType, report), ocispec.DescriptorEmptyJSON
	config := descriptorOf(empty.MediaType, empty.Data)
	manifest := marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ReportType,
		Config: config, Layers: []ocispec.Descriptor{blob},
		Subject: &ocispec.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size},
	})
	if err := cmp.Or(pushSmall(ctx, to, config, empty.Data), pushSmall(ctx, to, blob, report)); err != nil {
		return "", err
	}
	d := descriptorOf(ocispec.MediaTypeImageManifest, manifest)
	d.ArtifactType = ReportType
	return d.Digest, to.PushReference(ctx, d, bytes.NewReader(manifest), d.Digest.String())
}

// pushSmall pushes a blob unless the storage contains it.
func pushSmall(ctx context.Context, to storage, blob ocispec.Descriptor, content []byte) error {
	found, err := to.Exists(ctx, blob)
	if err != nil || found {
		return err
	}
	return to.Push(ctx, blob, bytes.NewReader(content))
}

// reference returns the digest of a reference, or its tag.
func reference(r ArtifactRef) string {
	if r.Digest != "" {
		return r.Digest.String()
	}
	return r.Tag
}

// Reports returns the reports about the cache that a reference names, sorted. Anybody with write
// access to the repository can attach a report. It fails as [Client.Fetch] does.
func (c *Client) Reports(ctx context.Context, r ArtifactRef) (reports [][]byte, err error) {
	err = c.use(ctx, r, forReading, func(from storage) error {
		reports, err = reportsAbout(ctx, from, reference(r))
		return err
	})
	slices.SortFunc(reports, bytes.Compare)
	return reports, err
}

func reportsAbout(ctx context.Context, from storage, reference string) (reports [][]byte, err error) {
	subject, err := from.Resolve(ctx, reference)
	if err != nil {
		return nil, err
	}
	var all []ocispec.Descriptor
	const anyType = "" // because some registries list the type of the config instead of the artifact's
	err = from.Referrers(ctx, subject, anyType, func(page []ocispec.Descriptor) error {
		for _, d := range page {
			if slices.Contains([]string{"", ReportType, ocispec.MediaTypeEmptyJSON}, d.ArtifactType) {
				all = append(all, d)
			}
		}
		if len(all) > maxReports {
			return fault.Errorf(fault.CacheInvalid, "more than %d reports are attached to it", maxReports)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		report, err := fetchReport(ctx, from, d, subject.Digest)
		if err != nil {
			return nil, err
		}
		if report != nil {
			reports = append(reports, report)
		}
	}
	return reports, nil
}

// fetchReport returns a report, or nil if the manifest is about something else.
func fetchReport(ctx context.Context, from storage, d ocispec.Descriptor, subject digest.Digest) ([]byte, error) {
	if d.Size > maxManifest {
		return nil, fault.Errorf(fault.CacheInvalid, "the manifest %s of a report is too large", d.Digest)
	}
	data, err := fetchSmall(ctx, from, "manifest of a report", d)
	if err != nil {
		return nil, err
	}
	var m ocispec.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fault.Errorf(fault.CacheInvalid, "the manifest %s of a report: %w", d.Digest, err)
	}
	switch {
	case m.ArtifactType != ReportType || m.Subject == nil || m.Subject.Digest != subject:
		return nil, nil
	case len(m.Layers) != 1 || m.Layers[0].MediaType != ReportType || m.Layers[0].Size > MaxReport || m.Layers[0].Digest.Validate() != nil:
		return nil, fault.Errorf(fault.CacheInvalid, "%s is not the manifest of a report", d.Digest)
	}
	return fetchSmall(ctx, from, "report", m.Layers[0])
}

// Referrers lists the manifests of a type that refer to another, as a registry does.
func (l *layoutDir) Referrers(ctx context.Context, subject ocispec.Descriptor, artifactType string, use func([]ocispec.Descriptor) error) error {
	index, err := l.index()
	if err != nil {
		return err
	}
	var found []ocispec.Descriptor
	for _, d := range index.Manifests {
		if artifactType != "" && d.ArtifactType != artifactType || d.Size > maxManifest {
			continue
		}
		data, err := fetchSmall(ctx, l, "manifest", d)
		if err != nil {
			return err
		}
		var m ocispec.Manifest
		if json.Unmarshal(data, &m) == nil && m.Subject != nil && m.Subject.Digest == subject.Digest {
			found = append(found, d)
		}
	}
	return use(found)
}
