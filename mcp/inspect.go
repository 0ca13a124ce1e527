package mcp

import (
	"github.com/contextcompiler/context/cache"
	"github.com/contextcompiler/context/internal/wire"
)

// inspectCache returns {"cache_version","document_count","total_bytes",
// "valid"} of a cache, all zero if its manifest cannot be read.
func inspectCache(caches *caches, text []byte) (string, error) {
	args, err := parseArguments(text, "cache")
	if err != nil {
		return "", err
	}
	path, err := args.text("cache")
	if err != nil {
		return "", err
	}
	if !isPath(path) {
		return "", missing(path)
	}
	s, err := cache.SummaryIn(caches.root, path)
	if err != nil {
		return "", err
	}
	var e wire.Encoder
	e.BeginObject()
	e.Key("cache_version")
	e.String(s.Version)
	e.Key("document_count")
	e.Int(s.DocumentCount)
	e.Key("total_bytes")
	e.Int(s.TotalBytes)
	e.Key("valid")
	e.Bool(s.Valid)
	e.EndObject()
	e.Newline()
	return string(e.Bytes()), nil
}
