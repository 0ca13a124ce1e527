// Package verify checks a cache against every rule of the format, which docs/format.md
// explains. It checks the manifest, index.json, each document and the index, and makes
// sure that the cache contains nothing else.
package verify

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/caches/cache"
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
	list, err := c.List()
	if finding := cache.ManifestFinding(err); finding != nil {
		return Diagnosis{Findings: []cache.Finding{*finding}}, nil
	}
	if err != nil {
		return Diagnosis{}, err
	}
	defer list.Close()
	return check(ctx, c, list, jobs)
}

// Cache checks an open cache. It reads at most jobs documents at once, and never more
// than 8; 0 means one per CPU. Unlike [Path], it fails with [fault.CacheInvalid] if the
// manifest cannot be read.
func Cache(ctx context.Context, c *cache.Files, jobs int) (Diagnosis, error) {
	list, err := c.List()
	if err != nil {
		return Diagnosis{}, err
	}
	defer list.Close()
	return check(ctx, c, list, jobs)
}

func check(ctx context.Context, c *cache.Files, list *cache.Listing, jobs int) (Diagnosis, error) {
	m := list.Manifest
	d := Diagnosis{Version: m.Version, DocumentCount: m.DocumentCount, Selection: m.Selection, About: m.About, Findings: list.CheckManifest()}
	isSound := len(d.Findings) == 0
	for _, check := range []func() ([]cache.Finding, error){
		list.CheckFileList,
		func() (findings []cache.Finding, err error) {
			findings, d.TotalBytes, err = checkDocuments(ctx, c, list, jobs, isSound)
			return findings, err
		},
		list.CheckFiles,
	} {
		findings, err := check()
		if err != nil {
			return Diagnosis{}, err
		}
		d.Findings = append(d.Findings, findings...)
	}
	return d, nil
}

// checkDocuments checks every document and returns the size of their files. It also checks
// the index and the converters in the manifest, but only if the documents and the rest of
// the manifest are sound.
func checkDocuments(ctx context.Context, c *cache.Files, list *cache.Listing, jobs int, isSound bool) (findings []cache.Finding, size int64, err error) {
	check, err := newIndexCheck(c, list.Len())
	if err != nil {
		return nil, 0, err
	}
	defer check.close()
	converters := map[string]bool{}
	err = list.EachBatch(func(first int, batch []cache.Entry) error {
		results, err := cache.ReadEach(ctx, c, jobs, batch, func(_, i int, r *cache.Reader) (checkedDocument, error) {
			result, err := check.document(r, first+i, batch[i])
			if err == nil {
				result.size, err = c.FileSize(batch[i])
			}
			return result, err
		})
		for _, r := range results {
			size += r.size
			if r.converter != "" {
				converters[r.converter] = true
			}
			if r.finding != nil {
				findings = append(findings, *r.finding)
			}
		}
		return err
	})
	if err != nil || len(findings) > 0 || !isSound {
		return findings, size, err
	}
	findings = compareConverters(list.Manifest, converters)
	finding, err := check.finding(ctx, jobs)
	if finding != nil {
		findings = append(findings, *finding)
	}
	return findings, size, err
}

type checkedDocument struct {
	finding   *cache.Finding
	size      int64  // of its file
	converter string // that made it, or ""
}
