package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/mcp"
)

const serveHelp = `Serve answers agents over the Model Context Protocol on standard input and output.

Agents know a cache by its name. --cache serves one; its name is that of its
directory, unless you write NAME=DIR. --cache-root serves all caches below a
directory, directly or deeper, by their paths. --project turns on query_context,
check_freshness and list_contexts, which read the .context.yaml files of a
project. Every call opens all of it anew, so it sees a rebuilt cache, and a cache
or root that was replaced or did not exist before. The server ends at the end of
its input, or on SIGTERM, after the answers in flight.

` + serverVariables

// serveCommand returns the command of the server for agents.
func serveCommand() *cobra.Command {
	var typed serverFlags
	var caches []string
	cmd := &cobra.Command{
		Use:   "serve [--cache [NAME=]DIR]... [--cache-root DIR] [--project DIR]",
		Short: "Serve caches and directory contexts to agents over MCP",
		Long:  serveHelp,
		Example: "  context serve --cache build/context\n" +
			"  context serve --cache docs=build/context --cache /srv/caches/kubernetes\n" +
			"  context serve --cache-root /srv/caches --project .",
		Args: noArguments,
		RunE: run(func(cmd *cobra.Command) error {
			cfg, err := typed.config(cmd)
			if err == nil {
				err = addCaches(&cfg, caches, cmd.Flags().Changed("cache-root"))
			}
			if err != nil {
				return err
			}
			return typed.serve(cmd, cfg, mcp.ServeAgents)
		}),
	}
	typed.bind(cmd)
	cmd.Flags().StringArrayVar(&caches, "cache", nil, "serve the cache at `[NAME=]DIR`; may be repeated")
	return cmd
}

// addCaches adds the values of --cache to a configuration, and checks that it serves
// something. They come before the variable that stands for --cache-root.
func addCaches(cfg *mcp.Config, values []string, hasRoot bool) error {
	var err error
	if cfg.Caches, err = parseCaches(values); err != nil {
		return err
	}
	switch {
	case len(values) > 0 && hasRoot:
		return usagef("--cache and --cache-root are both given: name every cache with --cache, or have them all below the root")
	case len(values) > 0:
		cfg.CacheRoot = ""
	case isCache(cfg.CacheRoot):
		return usagef("the cache root %s is itself a cache: serve it with --cache %s", cfg.CacheRoot, shellLine([]string{cfg.CacheRoot}))
	case cfg.CacheRoot == "" && cfg.ProjectRoot == "":
		return usagef("nothing to serve: give --cache DIR for a cache, --cache-root DIR for all below a directory, or --project DIR for directory contexts")
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
		if absolute, err := filepath.Abs(value); err == nil {
			name = filepath.Base(absolute)
		}
	}
	if path == "" {
		return c, usagef("--cache is %q: name a directory", value)
	}
	if !mcp.IsCacheName(name) {
		return c, usagef(`--cache %s: a cache cannot have the name %q: give it one of letters, digits, "-", "_" and "." with --cache NAME=DIR`, value, name)
	}
	return mcp.NamedCache{Name: name, Path: path}, nil
}
