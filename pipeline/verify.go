package pipeline

import (
	"context"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/parallel"
)

// A Verification is what a check of every rule of the format came to.
type Verification struct {
	Version       document.Version // as the manifest states it; zero if that cannot be read
	DocumentCount int64            // likewise
	Findings      []cache.Finding  // what is wrong; none if the cache is valid
}

// Err returns nil for a valid cache, else a [fault.CacheInvalid] that names
// the first finding.
func (v Verification) Err() error {
	switch len(v.Findings) {
	case 0:
		return nil
	case 1:
		return v.Findings[0].Err()
	}
	return fault.Errorf(fault.CacheInvalid, "%w (the first of %d findings)", v.Findings[0].Err(), len(v.Findings))
}

// IsValid reports whether the check found nothing wrong.
func (v Verification) IsValid() bool { return len(v.Findings) == 0 }

// Verify checks the cache at path against every rule of the format, jobs
// documents at once: at most 8, and 0 means one a processor. A cache that is
// damaged is no error but has findings.
//
// It fails with [fault.CacheMissing] if there is no directory at path and with
// [fault.IO] if the system refuses to read it.
func Verify(ctx context.Context, path string, jobs int) (Verification, error) {
	c, err := cache.OpenUnchecked(path)
	if finding := cache.ManifestFinding(err); finding != nil {
		return Verification{Findings: []cache.Finding{*finding}}, nil
	}
	if err != nil {
		return Verification{}, err
	}
	defer c.Close()
	return VerifyOpen(ctx, c, jobs)
}

// VerifyOpen is [Verify] for a cache that is open.
func VerifyOpen(ctx context.Context, c *cache.Cache, jobs int) (Verification, error) {
	v := Verification{
		Version:       c.Manifest.Version,
		DocumentCount: c.Manifest.DocumentCount,
		Findings:      c.Manifest.Check(),
	}
	ofDocuments := func() ([]cache.Finding, error) { return checkDocuments(ctx, c, jobs, len(v.Findings) == 0) }
	for _, check := range []func() ([]cache.Finding, error){c.CheckIndex, ofDocuments, c.CheckFiles} {
		findings, err := check()
		if err != nil {
			return Verification{}, err
		}
		v.Findings = append(v.Findings, findings...)
	}
	return v, nil
}

// checkDocuments checks every document and, if these and all before them are sound,
// the index that is made of them.
func checkDocuments(ctx context.Context, c *cache.Cache, jobs int, soundSoFar bool) ([]cache.Finding, error) {
	jobs = resolveJobs(jobs)
	check, err := newIndexCheck(c)
	if err != nil {
		return nil, err
	}
	defer check.close()
	positions := make([]int, len(c.Manifest.Documents))
	for i := range positions {
		positions[i] = i
	}
	readers := newReaders(c, jobs)
	results, err := parallel.Each(ctx, jobs, positions,
		func(_ context.Context, worker, position int) (*cache.Finding, error) {
			reader, done := readers.take(worker, c.Manifest.Documents[position])
			defer done()
			return check.document(reader, position)
		})
	var findings []cache.Finding
	for _, finding := range results {
		if finding != nil {
			findings = append(findings, *finding)
		}
	}
	if err != nil || len(findings) > 0 || !soundSoFar {
		return findings, err
	}
	finding, err := check.finding(ctx, jobs)
	if finding != nil {
		findings = append(findings, *finding)
	}
	return findings, err
}

// An Inspection is a short account of a cache.
type Inspection struct {
	Verification
	TotalBytes int64 // sizes of the documents' files
}

// Inspect gives an account of the cache at path. A cache whose manifest can be
// read is never an error, whatever else is wrong with it; else the errors are
// those of [cache.Open].
func Inspect(ctx context.Context, path string, jobs int) (Inspection, error) {
	c, err := cache.OpenUnchecked(path)
	if err != nil {
		return Inspection{}, err
	}
	defer c.Close()
	v, err := VerifyOpen(ctx, c, jobs)
	if err != nil {
		return Inspection{}, err
	}
	i := Inspection{Verification: v}
	for _, entry := range c.Manifest.Documents {
		size, err := c.FileSize(entry)
		if err != nil {
			return Inspection{}, err
		}
		i.TotalBytes += size
	}
	return i, nil
}
