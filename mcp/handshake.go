package mcp

import (
	"context"
	"slices"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastWithHandshake is the last revision of the protocol to include initialize.
const lastWithHandshake = "2025-11-25"

// A handshake answers initialize after server/discover, where the SDK refuses it because it
// considers server/discover a handshake.
type handshake struct {
	answer sdk.InitializeResult // without the revision
	done   atomic.Bool
}

func (h *handshake) middleware(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.ServerRequest[*sdk.InitializeParams])
		first := ok && !h.done.Swap(true)
		if result, err := next(ctx, method, req); err == nil || !first {
			return result, err
		}
		result := h.answer
		result.ProtocolVersion = revisionFor(call.Params.ProtocolVersion)
		return &result, nil
	}
}

// revisionFor returns the revision requested by a client, or lastWithHandshake if this revision is
// unknown or works without a handshake.
func revisionFor(asked string) string {
	if asked <= lastWithHandshake && slices.Contains(sdk.SupportedProtocolVersions(), asked) {
		return asked
	}
	return lastWithHandshake
}
