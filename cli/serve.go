package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/mcp"
	"github.com/contextcompiler/context/resolve"
)

const serveHelp = `Serve answers agents over the Model Context Protocol on standard input and output.

Agents know a cache by its name. --cache serves one; its name is that of its
directory, unless you write NAME=DIR. --cache-root serves all caches below a
directory, directly or deeper, by their paths. Without these, and with --target or
--file, serve has the targets of the nearest Contextfile.yml or of FILE, by their
names. It reads the file once, at its start. --project turns on query_context,
check_freshness and list_contexts, which read the .context.yaml files of a
project. Every call opens all of it anew, so it sees a rebuilt cache, and a cache
or root that was replaced or did not exist before. The server ends at the end of
its input, or on SIGTERM, after the answers in flight.

--http serves many agents at http://ADDRESS/mcp instead, until SIGTERM. Then
requests have 3 seconds to end. /healthz answers "ok". ADDRESS is HOST:PORT; without
HOST it is 127.0.0.1, and port 0 is any free port. Standard error has the URL. Other
machines reach the server only through another HOST, which needs --token-file:
clients then send the header "Authorization: Bearer TOKEN". Requests are refused
unless their host is loopback, HOST, the address they came to, or an --allow-host.
The same goes for the web pages that send them. A proxy adds TLS.

` + serverVariables

// serveFlags are the flags of the server for agents.
type serveFlags struct {
	serverFlags
	asked askedFlags
	web   webFlags
}

// serveCommand returns the command of the server for agents.
func serveCommand() *cobra.Command {
	var typed serveFlags
	cmd := &cobra.Command{
		Use:        "serve [--cache [NAME=]DIR]... [--cache-root DIR] [--project DIR] [--http ADDRESS]",
		GroupID:    askGroup,
		Short:      "Serve caches and directory contexts to agents over MCP",
		Long:       serveHelp,
		SuggestFor: []string{"mcp", "server"},
		Example: "  context serve --cache build/context\n" +
			"  context serve\n" +
			"  context serve --cache docs=build/context --cache /srv/caches/kubernetes\n" +
			"  context serve --cache-root /srv/caches --project . --http 127.0.0.1:8787",
		Args: noArguments,
		RunE: run(typed.run),
	}
	typed.bind(cmd)
	typed.asked.bind(cmd, "serve the cache at `[NAME=]DIR` (repeatable)")
	typed.web.bind(cmd)
	return cmd
}

func (typed *serveFlags) run(cmd *cobra.Command) error {
	cfg, err := typed.config(cmd)
	if err == nil {
		err = typed.asked.addTo(&cfg, cmd)
	}
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("http") {
		if err := typed.web.refuse(cmd); err != nil {
			return err
		}
		if console.IsTerminal(cmd.InOrStdin()) {
			fmt.Fprintln(cmd.ErrOrStderr(), "waiting for messages of an MCP client on standard input; `context client` prints how to set one up; for a server over HTTP, give --http ADDRESS")
		}
		return typed.serve(cmd, cfg, mcp.ServeAgents)
	}
	listener, gate, err := typed.web.listen(cmd)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "serving http://%s/mcp\n", listener.Addr())
	warn(cmd, typed.web.warnings)
	return typed.serve(cmd, cfg, func(ctx context.Context, cfg mcp.Settings, _ io.Reader, _ io.Writer) error {
		return mcp.ServeHTTP(ctx, cfg, gate, listener)
	})
}

// addTo adds the caches to a configuration of a server. They come before the variable that
// stands for --cache-root. If there is nothing else to serve, they are those of all targets.
func (f *askedFlags) addTo(cfg *mcp.Settings, cmd *cobra.Command) error {
	if err := cmp.Or(f.refuse(cmd, "cache"), f.refuse(cmd, "cache-root")); err != nil {
		return err
	}
	var err error
	if cfg.Caches, err = parseCaches(f.caches); err != nil {
		return err
	}
	hasNothing := cfg.CacheRoot == "" && cfg.ProjectRoot == ""
	switch {
	case len(f.caches) > 0 && cmd.Flags().Changed("cache-root"):
		return usagef("--cache and --cache-root are both given: name every cache with --cache, or have them all below the root")
	case len(f.caches) > 0:
		cfg.CacheRoot = ""
	case f.given(cmd) != "" || hasNothing:
		chosen, _, err := f.choose(cmd, "write one with `context new`, or give --cache DIR for a cache, --cache-root DIR for all below a directory, or --project DIR for directory contexts")
		if err != nil {
			return err
		}
		cfg.CacheRoot, cfg.Caches = "", namedTargets(chosen)
	case isCache(cfg.CacheRoot):
		return usagef("the cache root %s is itself a cache: serve it with --cache %s", cfg.CacheRoot, shellLine([]string{cfg.CacheRoot}))
	}
	return nil
}

// parseCaches reads the values of --cache.
func parseCaches(values []string) (caches []mcp.NamedCache, err error) {
	for _, value := range values {
		c, err := parseCache(value)
		if err != nil {
			return nil, err
		}
		for _, other := range caches {
			if other.Name == c.Name {
				return nil, usagef("two caches have the name %s, %s and %s: give one another name with --cache NAME=DIR", c.Name, other.Path, c.Path)
			}
		}
		caches = append(caches, c)
	}
	return caches, nil
}

// parseCache reads [NAME=]DIR. A "=" behind a slash is part of DIR.
func parseCache(value string) (c mcp.NamedCache, err error) {
	name, path, named := strings.Cut(value, "=")
	if !named || strings.ContainsAny(name, `/\`) {
		path, name = value, ""
		if absolute, err := files.Absolute(value); err == nil {
			name = filepath.Base(absolute)
		}
	}
	if path == "" {
		return c, usagef("--cache is %q: name a directory", value)
	}
	if !resolve.IsName(name) {
		return c, usagef(`--cache %s: a cache cannot have the name %q: give it one of letters, digits, "-", "_" and "." with --cache NAME=DIR`, value, name)
	}
	return mcp.NamedCache{Name: name, Path: path}, nil
}
