package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/mcp"
)

type serveFlags struct {
	serverFlags
	asked  askedFlags
	web    webFlags
	follow follower
}

func serveCommand() *cobra.Command {
	var typed serveFlags
	cmd := &cobra.Command{
		Use:        "serve [--cache [NAME=]DIR]... [--http ADDRESS]",
		Short:      "Serve caches and directory contexts to agents over MCP",
		SuggestFor: []string{"mcp", "server"},
		Example: "  context serve --cache build/context\n" +
			"  context serve\n" +
			"  context serve --cache docs=build/context --cache /srv/caches/kubernetes\n" +
			"  context serve --cache-root /srv/caches --project . --http 127.0.0.1:8787\n" +
			"  context serve --http 127.0.0.1:8787 --open",
		Args: noArguments,
		RunE: run(typed.run),
	}
	typed.bind(cmd)
	typed.asked.bind(cmd, "serve the cache at `[NAME=]DIR` (repeatable)")
	typed.web.bind(cmd)
	cmd.Flags().DurationVar(&typed.follow.every, "refresh", 0, "follow the tags of caches every `DURATION`")
	return cmd
}

func (typed *serveFlags) run(cmd *cobra.Command) error {
	cfg, err := typed.config(cmd)
	if err == nil {
		err = typed.asked.addTo(&cfg, cmd)
	}
	if err == nil {
		err = serveLocally(cmd, cfg.Caches, &typed.follow)
	}
	if err == nil {
		err = typed.checkRefresh(cmd)
	}
	if err != nil {
		return err
	}
	serve := mcp.ServeAgents
	if cmd.Flags().Changed("http") {
		serve, err = typed.overHTTP(cmd)
	} else if err = typed.web.refuse(cmd); err == nil && console.IsTerminal(cmd.InOrStdin()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "waiting for messages of an MCP client on standard input; `context client` prints how to set up a client; for a server over HTTP, pass --http ADDRESS")
	}
	if err != nil {
		return err
	}
	return typed.serve(cmd, cfg, func(ctx context.Context, cfg mcp.Settings, in io.Reader, out io.Writer) error {
		return typed.follow.during(ctx, cfg.Log, func(ctx context.Context) error { return serve(ctx, cfg, in, out) })
	})
}

// A serverFunc serves caches, for example on standard input and output.
type serverFunc func(context.Context, mcp.Settings, io.Reader, io.Writer) error

// overHTTP opens the listener of a server, and says where it serves.
func (typed *serveFlags) overHTTP(cmd *cobra.Command) (serverFunc, error) {
	listener, gate, err := typed.web.listen(cmd)
	if err != nil {
		return nil, err
	}
	page := "http://" + reachable(listener.Addr()) + "/"
	fmt.Fprintf(cmd.ErrOrStderr(), "serving http://%s/mcp\n", listener.Addr())
	fmt.Fprintf(cmd.ErrOrStderr(), "to look at the answers, open %s\n", page)
	warn(cmd, typed.web.warnings)
	if typed.web.opens {
		openInBrowser(cmd, page)
	}
	return func(ctx context.Context, cfg mcp.Settings, _ io.Reader, _ io.Writer) error {
		return mcp.ServeHTTP(ctx, cfg, gate, listener)
	}, nil
}

// checkRefresh fails if --refresh cannot do anything.
func (typed *serveFlags) checkRefresh(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("refresh"):
		return nil
	case typed.follow.every < time.Second:
		return usagef("--refresh %s: expected at least 1s", typed.follow.every)
	case len(typed.follow.tags) == 0:
		return usagef("--refresh follows tags, so name a cache with --cache oci://HOST/NAME:TAG")
	}
	return nil
}

// addTo adds the caches to the configuration of a server. The flags take precedence over
// the variable for --cache-root. If the command line names nothing else to serve, it adds
// the caches of all targets.
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
		return usagef("--cache and --cache-root exclude each other: name every cache with --cache, or keep them all below the root")
	case len(f.caches) > 0:
		cfg.CacheRoot = ""
	case f.given(cmd) != "" || hasNothing:
		chosen, _, err := f.choose(cmd, "create the file with `context new`, or pass --cache DIR for a cache, --cache-root DIR for all caches below a directory, or --project DIR for directory contexts")
		if err != nil {
			return err
		}
		cfg.CacheRoot, cfg.Caches = "", namedTargets(chosen)
	case isCache(cfg.CacheRoot):
		return usagef("the cache root %s is itself a cache: serve it with --cache %s", cfg.CacheRoot, console.ShellLine([]string{cfg.CacheRoot}))
	}
	return nil
}
