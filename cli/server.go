package cli

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/cache"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/mcp"
)

const contractHelp = `Mcp-context-server answers agents over the Model Context Protocol on standard input and output.

A cache root turns on context.resolve, context.list_caches and
context.inspect_cache. They see only the caches below it. A project turns on
query_context, check_freshness and list_contexts, which read its .context.yaml
files. Give at least one of the two. Every call opens them anew, so it sees a
rebuilt cache, and a root that was replaced or did not exist before. The server
ends at the end of its input, or on SIGTERM, after the answers in flight.

These are the tools of contract v0. The program "context" has a server with tools
that are made for agents: context serve.

` + serverVariables

const serverVariables = `These variables stand for flags that you do not give:
  CONTEXT_CACHE_ROOT         as --cache-root
  CONTEXT_PROJECT_ROOT       as --project
  CONTEXT_TOOL_TIMEOUT_SECS  as --tool-timeout, in seconds`

// The environment variables that stand for flags.
const (
	cacheRootVariable   = "CONTEXT_CACHE_ROOT"
	projectRootVariable = "CONTEXT_PROJECT_ROOT"
	toolTimeoutVariable = "CONTEXT_TOOL_TIMEOUT_SECS"
)

// serverName is the name of the program that is only a server.
const serverName = "mcp-context-server"

// RunServer runs that program and exits.
func RunServer() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	server := contractCommand()
	addVersion(server)
	os.Exit(runCommand(ctx, server, os.Args[1:], os.Stdout, os.Stderr))
}

// contractCommand returns the command of the server of contract v0.
func contractCommand() *cobra.Command {
	var typed serverFlags
	cmd := &cobra.Command{
		Use:   serverName + " [--cache-root DIR] [--project DIR]",
		Short: "Serve caches and directory contexts to agents over MCP",
		Long:  contractHelp,
		Example: "  " + serverName + " --cache-root /var/cache/context\n" +
			"  " + serverName + " --project .",
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			cfg, err := typed.config(cmd)
			if err := cmp.Or(err, checkContract(cfg)); err != nil {
				return err
			}
			return typed.serve(cmd, cfg, mcp.Serve)
		}),
	}
	typed.bind(cmd)
	bindWord(cmd, &typed.cfg.Underscores, "tool-names", "dotted", "list tools by `STYLE` of name: dotted, or underscore for clients that take no dots",
		word[bool]{"dotted", false}, word[bool]{"underscore", true})
	return cmd
}

func checkContract(cfg mcp.Settings) error {
	if cfg.CacheRoot == "" && cfg.ProjectRoot == "" {
		return usagef("nothing to serve: give --cache-root DIR, or set %s, for caches; give --project DIR, or set %s, for directory contexts",
			cacheRootVariable, projectRootVariable)
	}
	if !isCache(cfg.CacheRoot) {
		return nil
	}
	parent := filepath.Join(cfg.CacheRoot, "..")
	if absolute, err := files.Absolute(cfg.CacheRoot); err == nil {
		parent = filepath.Dir(absolute)
	}
	return usagef("the cache root %s is itself a cache: give the directory that holds it, %s", cfg.CacheRoot, parent)
}

// isCache reports whether a cache root is a cache, so that it has no caches below it.
// Calls open the root anew and report its other faults.
func isCache(root string) bool {
	if root == "" {
		return false
	}
	s, err := cache.SummaryOf(root)
	return err == nil && s.Valid
}

// serverFlags are the flags that both servers have.
type serverFlags struct {
	cfg      mcp.Settings
	logLevel string
	level    slog.Level // of logLevel
}

func (typed *serverFlags) bind(cmd *cobra.Command) {
	typed.bindRoots(cmd)
	flags := cmd.Flags()
	flags.DurationVar(&typed.cfg.ToolTimeout, "tool-timeout", mcp.DefaultToolTimeout, "let a call fail after `DURATION`")
	flags.IntVar(&typed.cfg.MaxCalls, "max-calls", mcp.DefaultMaxCalls, "work on up to `N` calls at once")
	flags.StringVar(&typed.logLevel, "log-level", "info", "log from `LEVEL` on: debug, info, warn or error")
}

func (typed *serverFlags) bindRoots(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&typed.cfg.CacheRoot, "cache-root", "", "serve the caches below `DIR`")
	flags.StringVar(&typed.cfg.ProjectRoot, "project", "", "serve the directory contexts of the project at `DIR`")
}

// roots returns a configuration with the roots alone, by flags or variables.
func (typed *serverFlags) roots(cmd *cobra.Command) mcp.Settings {
	cfg := typed.cfg
	if !cmd.Flags().Changed("cache-root") {
		cfg.CacheRoot = os.Getenv(cacheRootVariable)
	}
	if !cmd.Flags().Changed("project") {
		cfg.ProjectRoot = os.Getenv(projectRootVariable)
	}
	return cfg
}

// config returns the configuration by the flags, and by variables where there are none.
func (typed *serverFlags) config(cmd *cobra.Command) (mcp.Settings, error) {
	cfg := typed.roots(cmd)
	if seconds := os.Getenv(toolTimeoutVariable); seconds != "" && !cmd.Flags().Changed("tool-timeout") {
		n, err := strconv.ParseUint(seconds, 10, 31) // fits a Duration
		if err != nil || n == 0 {
			return cfg, usagef("%s is %q: want a number of seconds above 0", toolTimeoutVariable, seconds)
		}
		cfg.ToolTimeout = time.Duration(n) * time.Second
	}
	if cfg.ToolTimeout <= 0 || cfg.MaxCalls <= 0 {
		return cfg, usagef("--tool-timeout and --max-calls must be above 0")
	}
	if err := typed.level.UnmarshalText([]byte(typed.logLevel)); err != nil {
		return cfg, usagef("--log-level is %q: want debug, info, warn or error", typed.logLevel)
	}
	cfg.Version = moduleVersion()
	return cfg, nil
}

// serve runs a server until it ends.
func (typed *serverFlags) serve(cmd *cobra.Command, cfg mcp.Settings, server func(context.Context, mcp.Settings, io.Reader, io.Writer) error) error {
	// A client that has closed its end of a pipe must not kill the server.
	signal.Ignore(syscall.SIGPIPE)
	// Answers are large and live until they are written. Collecting at half the
	// usual growth keeps the server below twice their size.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	log := newLogWriter(cmd.ErrOrStderr())
	defer log.close()
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: typed.level}))
	return server(cmd.Context(), cfg, cmd.InOrStdin(), cmd.OutOrStdout())
}
