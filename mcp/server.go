// Package mcp serves caches and directory contexts to agents over the Model
// Context Protocol: on standard input and output, a line of JSON-RPC a message.
//
//	stdin ─> connection ─> SDK ─> call ─> tool ─> pipeline, cache, dotcontext
//	stdout <─ connection <─ SDK <─ result: the bytes the command line prints
//
// The official SDK speaks the protocol. The connection around it is ours: it
// bounds what comes in, answers what is malformed, and lets answers in flight
// out before it ends. Tools on caches see nothing outside of the cache root, and
// the number of calls, their time and the caches that stay open are bounded.
package mcp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextcompiler/context/dotcontext"
	"github.com/contextcompiler/context/fault"
)

// A Config says what to serve. The zero value of a field is its default.
type Config struct {
	CacheRoot   string        // directory below which the caches lie; "" leaves out the tools on caches
	ProjectRoot string        // project whose directory contexts are served; "" leaves out the tools on them
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

// The instructions tell a model what the server is for.
const (
	cacheInstructions = `Compiled documentation. context.list_caches names the caches, ` +
		`context.resolve returns the documents of one that answer a query within a token budget, ` +
		`context.inspect_cache tells how large one is.`
	contextInstructions = `Descriptions of the directories of a code project. list_contexts names them, ` +
		`check_freshness tells whether one is up to date, query_context returns it.`
)

// Serve answers the messages on in, on out, until in ends or ctx does; calls
// that are in flight then have less than a second to answer. It fails with
// [fault.IO] if a root cannot be opened or out cannot be written.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	offered, closeOffer, err := offerOf(cfg)
	if err != nil {
		return err
	}
	defer closeOffer()

	conn := newConnection(in, out)
	defer conn.Close()
	context.AfterFunc(ctx, conn.stopReading)
	server := newServer(cfg, offered, conn.draining)
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

// An offer is what a server has for its clients.
type offer struct {
	tools        []tool
	instructions string
}

// offerOf returns what the roots of cfg turn on, and what to call at the end.
func offerOf(cfg Config) (o offer, end func(), err error) {
	end = func() {}
	var instructions []string
	if cfg.CacheRoot != "" {
		root, err := openRoot(cfg.CacheRoot)
		if err != nil {
			return offer{}, nil, fault.Errorf(fault.IO, "cache root %s: %w", cfg.CacheRoot, fault.Cause(err))
		}
		caches := newCaches(root)
		end = func() {
			caches.close()
			root.Close()
		}
		o.tools = cacheTools(caches)
		instructions = append(instructions, cacheInstructions)
	}
	if cfg.ProjectRoot != "" {
		project, err := dotcontext.Open(cfg.ProjectRoot) // each call opens it anew: it may be replaced
		if err != nil {
			end()
			return offer{}, nil, err
		}
		project.Close()
		o.tools = append(o.tools, contextTools(cfg.ProjectRoot)...)
		instructions = append(instructions, contextInstructions)
	}
	o.instructions = strings.Join(instructions, "\n\n")
	return o, end, nil
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
func newServer(cfg Config, offered offer, draining context.Context) *sdk.Server {
	names := nameStyle{cfg.Underscores}
	server := sdk.NewServer(
		&sdk.Implementation{Name: "mcp-context-server", Title: "Context", Version: cfg.Version},
		&sdk.ServerOptions{
			Instructions: names.inText(offered.instructions),
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			Logger:       slog.New(slog.DiscardHandler), // ours says the same, once
		},
	)
	caller := newCaller(cfg, draining)
	for _, tool := range offered.tools {
		server.AddTool(tool.definition(names), caller.handler(tool))
	}
	server.AddReceivingMiddleware(names.middleware)
	return server
}
