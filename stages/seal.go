package stages

import (
	"context"

	"github.com/contextcompiler/context/internal/cache"
)

// Seal publishes the cache of items, which are sorted by ID.
func Seal(ctx context.Context, out *cache.Writer, items []cache.Item, createdAt string) (cache.Sealed, error) {
	return out.Seal(ctx, items, createdAt)
}
