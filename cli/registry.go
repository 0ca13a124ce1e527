package cli

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/retry"

	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/author/console"
	"github.com/contextcompiler/context/mcp"
)

// networkFlags say how a command may reach registries.
type networkFlags struct{ plainHTTP, offline bool }

func (f *networkFlags) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plainHTTP, "plain-http", false, "use HTTP instead of HTTPS, for all registries")
}

// client returns a client of registries with the credentials that Docker keeps.
func (f *networkFlags) client(cmd *cobra.Command) *registry.Client {
	c := &registry.Client{Store: userStore(), Now: time.Now()}
	if f.offline {
		return c
	}
	c.Network = &registry.Network{HTTP: patientHTTP(), PlainHTTP: f.plainHTTP}
	c.Network.Warn = func(warning string) { warn(cmd, []string{warning}) }
	// Most commands need no login, so they must not fail because of Docker's configuration.
	logins := sync.OnceValues(func() (*credentials.DynamicStore, error) {
		return credentials.NewStoreFromDocker(credentials.StoreOptions{})
	})
	c.Network.Credential = func(ctx context.Context, host string) (auth.Credential, error) {
		kept, err := logins()
		if err != nil {
			return auth.EmptyCredential, err
		}
		return credentials.Credential(kept)(ctx, host)
	}
	return c
}

// patientHTTP returns a client for registries and archives that repeats requests while a server is
// busy, and gives up if it sends nothing for a while.
func patientHTTP() *http.Client {
	const patience = 2 * time.Minute
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &impatientConn{conn, patience}, nil
	}
	return &http.Client{Transport: retry.NewTransport(transport), CheckRedirect: keepSecure}
}

// An impatientConn ends if neither side sends anything for a while. A deadline for the
// whole transfer would fail on slow lines.
type impatientConn struct {
	net.Conn
	patience time.Duration
}

func (c *impatientConn) Read(p []byte) (int, error) {
	c.SetDeadline(time.Now().Add(c.patience))
	return c.Conn.Read(p)
}

func (c *impatientConn) Write(p []byte) (int, error) {
	c.SetDeadline(time.Now().Add(c.patience))
	return c.Conn.Write(p)
}

// parseRef turns an error of a reference into a usage error.
func parseRef(text string) (registry.ArtifactRef, error) {
	r, err := registry.ParseRef(text)
	if err != nil {
		return r, usagef("%v", err)
	}
	return r, nil
}

// serveLocally is localCaches for a server, which follows the tags of references.
func serveLocally(cmd *cobra.Command, caches []mcp.NamedCache, f *follower) error {
	for i := range caches {
		if !registry.IsRef(caches[i].Path) {
			continue
		}
		ref, err := parseRef(caches[i].Path)
		if err == nil {
			f.client = new(networkFlags).client(cmd)
			caches[i].Path, err = localCache(cmd, caches[i].Path)
		}
		if err != nil {
			return err
		}
		if f.every > 0 && ref.Digest == "" {
			caches[i].Current = f.follow(caches[i], ref)
		} else {
			f.pinned = append(f.pinned, caches[i].Path)
		}
	}
	return nil
}

// localCache returns the directory of a cache: path itself, or the copy in the store if
// path is a reference to a registry or a layout. Each call looks up a tag again, while a
// digest in the store needs no network.
func localCache(cmd *cobra.Command, path string) (string, error) {
	if !registry.IsRef(path) {
		return path, nil
	}
	ref, err := parseRef(path)
	if err != nil {
		return "", err
	}
	client := new(networkFlags).client(cmd)
	var finish func()
	client.Observe, finish = console.TransferOn(cmd.ErrOrStderr(), "pulling")
	defer finish()
	stored, err := client.Fetch(cmd.Context(), ref)
	if err != nil {
		return "", err
	}
	return stored.Dir, nil
}

// localCaches is localCache for several caches.
func localCaches(cmd *cobra.Command, caches []mcp.NamedCache) (err error) {
	for i := range caches {
		if caches[i].Path, err = localCache(cmd, caches[i].Path); err != nil {
			return err
		}
	}
	return nil
}
