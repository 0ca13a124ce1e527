// Package verify checks a cache against every rule of the format, which docs/format.md
// explains. It checks the manifest, index.json, each document and the index, and makes
// sure that the cache contains nothing else.
package verify

import (
	"context"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
)

// A Diagnosis is the result of a check.
type Diagnosis struct {
	Version       document.Version // from the manifest; zero if the manifest cannot be read
	DocumentCount int64            // from the manifest
	Selection     int              // from the manifest: 0 or 1
	About         document.About   // from the manifest
	TotalBytes    int64            // total size of the documents' files
	Findings      []cache.Finding  // empty if the cache is valid
}

// Err returns a [fault.CacheInvalid] with the first finding, or nil if the cache is
// valid.
func (d Diagnosis) Err() error {
	switch len(d.Findings) {
	case 0:
		return nil
	case 1:
		return d.Findings[0].Err()
	}
	return fault.Errorf(fault.CacheInvalid, "%w (the first of %d findings)", d.Findings[0].Err(), len(d.Findings))
}

// IsValid reports whether there are no findings.
func (d Diagnosis) IsValid() bool { return len(d.Findings) == 0 }

// Path checks the cache at path. It reports damage as findings instead of errors.
//
// It fails with [fault.CacheMissing] if path is not a directory, and with [fault.IO] if
// the system refuses to read the cache.
func Path(ctx context.Context, path string, jobs int) (Diagnosis, error) {
	c, err := cache.Open(path)
	if err != nil {
		return Diagnosis{}, err
	}
	defer c.Close()
	_, err = c.UncheckedManifest()
	if finding := cache.ManifestFinding(err); finding != nil {
		return Diagnosis{Findings: []cache.Finding{*finding}}, nil
	}
	return Cache(ctx, c, jobs)
}

// Cache checks an open cache. It reads at most jobs documents at once, and never more
// than 8; 0 means one per CPU. Unlike [Path], it fails with [fault.CacheInvalid] if the
// manifest cannot be read.
func Cache(ctx context.Context, c *cache.Files, jobs int) (Diagnosis, error) {
	m, err := c.UncheckedManifest()
	if err != nil {
		return Diagnosis{}, err
	}
	d := Diagnosis{Version: m.Version, DocumentCount: m.DocumentCount, Selection: m.Selection, About: m.About, Findings: m.Check()}
	isSound := len(d.Findings) == 0
	for _, check := range []func() ([]cache.Finding, error){
		func() ([]cache.Finding, error) { return c.CheckFileList(m) },
		func() ([]cache.Finding, error) { return checkDocuments(ctx, c, m, jobs, isSound) },
		func() ([]cache.Finding, error) { return c.CheckFiles(slices.Values(m.Documents)) },
	} {
		findings, err := check()
		if err != nil {
			return Diagnosis{}, err
		}
		d.Findings = append(d.Findings, findings...)
	}
	for _, entry := range m.Documents {
		size, err := c.FileSize(entry)
		if err != nil {
			return Diagnosis{}, err
		}
		d.TotalBytes += size
	}
	return d, nil
}

// checkDocuments checks every document. It also checks the index and the converters in the
// manifest, but only if the documents and the rest of the manifest are sound.
func checkDocuments(ctx context.Context, c *cache.Files, m cache.Manifest, jobs int, isSound bool) ([]cache.Finding, error) {
	entries := m.Documents
	check, err := newIndexCheck(c, len(entries))
	if err != nil {
		return nil, err
	}
	defer check.close()
	results, err := cache.ReadEach(ctx, c, jobs, entries, func(_, i int, r *cache.Reader) (*cache.Finding, error) {
		return check.document(r, i, entries[i])
	})
	var findings []cache.Finding
	for _, finding := range results {
		if finding != nil {
			findings = append(findings, *finding)
		}
	}
	if err != nil || len(findings) > 0 || !isSound {
		return findings, err
	}
	findings = check.compareConverters(m)
	finding, err := check.finding(ctx, jobs)
	if finding != nil {
		findings = append(findings, *finding)
	}
	return findings, err
}
