package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/wire"
)

// A Summary describes a cache without reading its documents. It is zero if the manifest
// is missing or cannot be decoded.
type Summary struct {
	Version       string `json:"cache_version"`  // of the manifest, unchecked
	DocumentCount int64  `json:"document_count"` // of the manifest, unchecked
	TotalBytes    int64  `json:"total_bytes"`    // sizes of the regular files directly in the cache
	Valid         bool   `json:"valid"`          // whether all of the above are known
}

// SummaryOf is [SummaryIn] for any path.
func SummaryOf(path string) (Summary, error) { return summaryOf(Open(path)) }

// SummaryIn returns the summary of the cache at a slash path below dir. It fails with
// [fault.CacheMissing] if path is not a directory, and with [fault.IO] if the system
// refuses.
func SummaryIn(dir *os.Root, path string) (Summary, error) { return summaryOf(OpenIn(dir, path)) }

func summaryOf(c *Files, err error) (Summary, error) {
	if err != nil {
		return Summary{}, err
	}
	defer c.Close()
	data, err := readRegular(c.root, ManifestPath, nil, maxManifestSize)
	if err != nil && fault.CodeOf(err) == fault.CacheInvalid {
		return Summary{}, nil
	}
	if err != nil {
		return Summary{}, err
	}
	s, ok := decodeSummary(data)
	if !ok {
		return Summary{}, nil
	}
	if s.TotalBytes, err = sizesIn(c.root); err != nil {
		return Summary{}, fault.Errorf(fault.IO, "%s: %w", c.path, err)
	}
	s.Valid = true
	return s, nil
}

func decodeSummary(data []byte) (s Summary, ok bool) {
	d := wire.NewDecoder(data)
	err := decodeObject(d, func(key string) (err error) {
		switch key {
		case "cache_version":
			s.Version, err = d.String()
		case "document_count":
			s.DocumentCount, err = d.Int()
		default:
			err = d.Skip()
		}
		return err
	}, "cache_version", "document_count")
	return s, cmp.Or(err, d.End()) == nil && s.DocumentCount >= 0
}

// sizesIn returns the total size of the regular files directly in dir.
func sizesIn(dir *os.Root) (total int64, err error) {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		found, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		case found.Mode().IsRegular():
			total += found.Size()
		}
	}
	return total, nil
}
