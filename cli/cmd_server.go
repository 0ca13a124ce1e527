package cli

import (
	"bytes"
	"cmp"
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

	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/mcp"
)

// The environment variables for flags missing from the command line.
const (
	cacheRootVariable   = "CONTEXT_CACHE_ROOT"
	projectRootVariable = "CONTEXT_PROJECT_ROOT"
	toolTimeoutVariable = "CONTEXT_TOOL_TIMEOUT_SECS"
)

// serverName is the program of contract v0, which is only a server.
const serverName = "mcp-context-server"

// RunServer runs mcp-context-server and exits.
func RunServer() {
	server := contractCommand()
	addVersion(server)
	runProcess(server)
}

// contractCommand returns the command of mcp-context-server.
func contractCommand() *cobra.Command {
	var typed serverFlags
	cmd := &cobra.Command{
		Use:   serverName + " [--cache-root DIR] [--project DIR]",
		Short: "Serve caches and directory contexts to programs over MCP",
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
	bindWord(cmd, &typed.cfg.Underscores, "tool-names", "dotted", "use `STYLE` dotted or underscore",
		flagWord[bool]{"dotted", false}, flagWord[bool]{"underscore", true})
	return cmd
}

func checkContract(cfg mcp.Settings) error {
	if cfg.CacheRoot == "" && cfg.ProjectRoot == "" {
		return usagef("nothing to serve: pass --cache-root DIR, or set %s, for caches; pass --project DIR, or set %s, for directory contexts",
			cacheRootVariable, projectRootVariable)
	}
	if !isCache(cfg.CacheRoot) {
		return nil
	}
	parent := filepath.Join(cfg.CacheRoot, "..")
	if absolute, err := files.Absolute(cfg.CacheRoot); err == nil {
		parent = filepath.Dir(absolute)
	}
	return usagef("the cache root %s is itself a cache: pass the directory that contains it, %s", cfg.CacheRoot, parent)
}

// serverFlags are the flags of both servers.
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
	flags.StringVar(&typed.logLevel, "log-level", "info", "log from `LEVEL` on, such as debug")
}

func (typed *serverFlags) bindRoots(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&typed.cfg.CacheRoot, "cache-root", "", "serve the caches below `DIR` ($"+cacheRootVariable+")")
	flags.StringVar(&typed.cfg.ProjectRoot, "project", "", "serve the contexts in `DIR` ($"+projectRootVariable+")")
	for _, flag := range []string{"cache-root", "project"} { // which means none, even if the variable names a directory
		flags.SetAnnotation(flag, mayBeEmpty, []string{"true"})
	}
}

// roots returns a configuration with only the roots, from flags or variables.
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

// config returns the configuration, in which variables replace missing flags.
func (typed *serverFlags) config(cmd *cobra.Command) (mcp.Settings, error) {
	cfg := typed.roots(cmd)
	if seconds := os.Getenv(toolTimeoutVariable); seconds != "" && !cmd.Flags().Changed("tool-timeout") {
		n, err := strconv.ParseUint(seconds, 10, 31) // fits a Duration
		if err != nil || n == 0 {
			return cfg, usagef("%s: expected a number of seconds above 0, got %q", toolTimeoutVariable, seconds)
		}
		cfg.ToolTimeout = time.Duration(n) * time.Second
	}
	if cfg.ToolTimeout <= 0 || cfg.MaxCalls <= 0 {
		return cfg, usagef("--tool-timeout and --max-calls: expected values above 0")
	}
	if err := typed.level.UnmarshalText([]byte(typed.logLevel)); err != nil {
		return cfg, usagef("--log-level: expected debug, info, warn or error, got %q", typed.logLevel)
	}
	cfg.Version = moduleVersion()
	return cfg, nil
}

func (typed *serverFlags) serve(cmd *cobra.Command, cfg mcp.Settings, server serverFunc) error {
	// A client must not kill the server by closing its end of a pipe.
	signal.Ignore(syscall.SIGPIPE)
	// Answers are large and live until they are written. Collecting at half the usual
	// growth keeps the server below twice their size.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	log := newLogWriter(cmd.ErrOrStderr())
	defer log.close()
	cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: typed.level}))
	return server(cmd.Context(), cfg, cmd.InOrStdin(), cmd.OutOrStdout())
}

// A logWriter writes to standard error but never waits for it, because standard error can
// be a pipe without a reader. If its buffer is full, lines are lost.
type logWriter struct {
	lines   chan []byte   // nil is the last line; later lines are lost
	written chan struct{} // closed when the last line is written
}

func newLogWriter(out io.Writer) *logWriter {
	const room = 1024 // lines
	w := &logWriter{make(chan []byte, room), make(chan struct{})}
	go func() {
		defer close(w.written)
		for line := <-w.lines; line != nil; line = <-w.lines {
			out.Write(line)
		}
	}()
	return w
}

func (w *logWriter) Write(line []byte) (int, error) {
	select {
	case w.lines <- bytes.Clone(line):
	default:
	}
	return len(line), nil
}

// close waits a moment for the last lines.
func (w *logWriter) close() {
	const moment = 50 * time.Millisecond
	late := time.After(moment)
	select {
	case w.lines <- nil:
	case <-late:
		return
	}
	select {
	case <-w.written:
	case <-late:
	}
}
