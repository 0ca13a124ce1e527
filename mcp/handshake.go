package mcp

import (
	"context"
	"slices"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastWithHandshake is the last revision of the protocol that begins with
// initialize.
const lastWithHandshake = "2025-11-25"

// A handshake answers initialize where the SDK would refuse it: a client may
// have asked server/discover first, and the SDK takes that for a handshake.
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

// revisionFor returns the revision that a client asks for, if it has a handshake,
// and otherwise the last one that has.
func revisionFor(asked string) string {
	if asked <= lastWithHandshake && slices.Contains(sdk.SupportedProtocolVersions(), asked) {
		return asked
	}
	return lastWithHandshake
}
