package cli

import (
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/mcp"
)

// reachable returns the address at which this machine reaches a listener.
func reachable(address net.Addr) string {
	tcp, isTCP := address.(*net.TCPAddr)
	if !isTCP || !tcp.IP.IsUnspecified() {
		return address.String()
	}
	_, port, _ := net.SplitHostPort(address.String())
	return net.JoinHostPort("127.0.0.1", port)
}

// openInBrowser opens an address in the user's browser. Without a browser, the server still
// serves, so it only warns.
func openInBrowser(cmd *cobra.Command, address string) {
	args := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	if err := exec.Command(args[0], args[1:]...).Start(); err != nil {
		warn(cmd, []string{"cannot open a browser: open " + address + " yourself"})
	}
}

// commandFor returns a function that returns the command line with the same answer as a view of
// the page. Unless the server is for this machine alone, it hides the paths of caches.
func (typed *serveFlags) commandFor(cfg mcp.Settings, gate mcp.Access) func(caches, args []string) string {
	isPrivate := gate.Token == "" && len(typed.web.hosts) == 0
	flags := func(caches []string) (flags []string) {
		switch {
		case cfg.CacheRoot != "" || len(typed.asked.caches) > 0:
			for _, name := range caches {
				flags = append(flags, "--cache", typed.cacheArgument(cfg, name, isPrivate))
			}
			return flags
		case typed.asked.file.path != "" && isPrivate:
			flags = append(flags, "--file", typed.asked.file.path)
		case typed.asked.file.path != "":
			flags = append(flags, "--file", "FILE")
		}
		if len(caches) < len(cfg.Caches) || len(typed.asked.names) > 0 {
			for _, name := range caches {
				flags = append(flags, "--target", name)
			}
		}
		return flags
	}
	return func(caches, args []string) string {
		return console.ShellLine(slices.Concat([]string{"context"}, args[:1], flags(caches), args[1:]))
	}
}

// cacheArgument returns the value of --cache for a cache.
func (typed *serveFlags) cacheArgument(cfg mcp.Settings, name string, isPrivate bool) string {
	at := slices.IndexFunc(cfg.Caches, func(c mcp.NamedCache) bool { return c.Name == name })
	switch {
	case !isPrivate:
		return name + "=DIR"
	case cfg.CacheRoot != "":
		return filepath.Join(cfg.CacheRoot, filepath.FromSlash(name))
	case at >= 0 && at < len(typed.asked.caches):
		return typed.asked.caches[at]
	}
	return name
}
