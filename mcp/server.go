// Package mcp serves caches to agents over the Model Context Protocol: on
// standard input and output, a line of JSON-RPC a message.
//
//	stdin ─> connection ─> SDK ─> call ─> tool ─> pipeline, cache
//	stdout <─ connection <─ SDK <─ result: the bytes the command line prints
//
// The official SDK speaks the protocol. The connection around it is ours: it
// bounds what comes in, answers what is malformed, and lets answers in flight
// out before it ends. Tools see nothing outside of the cache root, and the
// number of calls, their time and the caches that stay open are bounded.
package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/fault"
)

// A Config says what to serve. The zero value of a field is its default.
type Config struct {
	CacheRoot   string        // directory below which the caches lie; required
	ToolTimeout time.Duration // after which a call fails; 0 means DefaultToolTimeout
	MaxCalls    int           // calls at work at once; 0 means DefaultMaxCalls
	Underscores bool          // list context_resolve instead of context.resolve
	Version     string        // of this program
	Log         *slog.Logger  // required
}

// The defaults of a Config.
const (
	DefaultToolTimeout = 30 * time.Second
	DefaultMaxCalls    = 4
)

// instructions tell a model what the server is for.
const instructions = `Compiled documentation. context.list_caches names the caches, ` +
	`context.resolve returns the documents of one that answer a query within a token budget, ` +
	`context.inspect_cache tells how large one is.`

// Serve answers the messages on in, on out, until in ends or ctx does; calls
// that are in flight then have less than a second to answer. It fails with [fault.IO] if
// the cache root cannot be opened or out cannot be written.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	root, err := openRoot(cfg.CacheRoot)
	if err != nil {
		return fault.Errorf(fault.IO, "cache root %s: %w", cfg.CacheRoot, fault.Cause(err))
	}
	defer root.Close()
	caches := newCaches(root)
	defer caches.close()

	conn := newConnection(in, out)
	defer conn.Close()
	context.AfterFunc(ctx, conn.stopReading)
	server := newServer(cfg, caches, conn.draining)
	session, err := server.Connect(context.WithoutCancel(ctx), conn, nil)
	if err != nil {
		return fault.Errorf(fault.Internal, "connect: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fault.Errorf(fault.IO, "serve: %w", err)
		}
	case <-conn.gaveUp: // a client that does not read its answers loses them
	}
	return nil
}

// openRoot opens the cache root. It looks first what is there, for opening a
// pipe would wait for somebody to write to it.
func openRoot(path string) (*os.Root, error) {
	if found, err := os.Stat(path); err == nil && !found.IsDir() {
		return nil, errors.New("not a directory")
	}
	return os.OpenRoot(path)
}

// newServer returns the SDK's server with our tools. Calls end when the
// connection gives up draining.
func newServer(cfg Config, caches *caches, draining context.Context) *sdk.Server {
	names := nameStyle{cfg.Underscores}
	server := sdk.NewServer(
		&sdk.Implementation{Name: "mcp-context-server", Title: "Context", Version: cfg.Version},
		&sdk.ServerOptions{
			Instructions: names.inText(instructions),
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			Logger:       slog.New(slog.DiscardHandler), // ours says the same, once
		},
	)
	caller := newCaller(cfg, draining)
	for _, tool := range cacheTools(caches) {
		server.AddTool(tool.definition(names), caller.handler(tool))
	}
	server.AddReceivingMiddleware(names.middleware)
	return server
}
