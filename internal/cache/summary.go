package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/wire"
)

// A Summary is what can be told of a cache at a glance, without a look at its
// documents. It is zero if the manifest is missing or cannot be decoded.
type Summary struct {
	Version       string `json:"cache_version"`  // of the manifest, unchecked
	DocumentCount int64  `json:"document_count"` // of the manifest, unchecked
	TotalBytes    int64  `json:"total_bytes"`    // sizes of the regular files directly in the cache
	Valid         bool   `json:"valid"`          // the three above are there
}

// SummaryOf returns the summary of the cache at path. It fails as SummaryIn does.
func SummaryOf(path string) (Summary, error) { return summaryOf(atPath(path)) }

// SummaryIn returns the summary of the cache at that slash path below dir. It
// fails with [fault.CacheMissing] if there is no directory, and with
// [fault.IO] if the system refuses.
func SummaryIn(dir *os.Root, path string) (Summary, error) { return summaryOf(below(dir, path)) }

func summaryOf(place place) (Summary, error) {
	c, err := openDirectory(place)
	if err != nil {
		return Summary{}, err
	}
	defer c.Close()
	data, err := readRegular(c.root, manifestName, nil, maxManifestSize)
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
		return Summary{}, fault.Errorf(fault.IO, "%s: %w", place.path, err)
	}
	s.Valid = true
	return s, nil
}

// decodeSummary reads two members of a manifest, whatever the others are.
func decodeSummary(data []byte) (s Summary, ok bool) {
	d := wire.NewDecoder(data)
	missing := newFieldSet("cache_version", "document_count")
	err := d.Object(func(key string) (err error) {
		missing.remove(key)
		switch key {
		case "cache_version":
			s.Version, err = d.String()
		case "document_count":
			s.DocumentCount, err = d.Int()
		default:
			err = d.Skip()
		}
		return err
	})
	return s, cmp.Or(err, d.End(), missing.err()) == nil && s.DocumentCount >= 0
}

// sizesIn sums the sizes of the regular files directly in dir.
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

// IsTransient reports whether name is that of a file or directory that a build
// has beside a cache for a while.
func IsTransient(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, transient)
}
