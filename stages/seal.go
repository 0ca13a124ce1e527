package stages

import (
	"context"

	"github.com/contextcompiler/context/internal/cache"
)

// Seal publishes the cache of items, which are sorted by ID. written is false if the
// cache in its place is the same, byte for byte.
func Seal(ctx context.Context, out *cache.Writer, items []cache.NewDocument, createdAt string) (m cache.Manifest, written bool, err error) {
	return out.Seal(ctx, items, createdAt)
}
