package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/contextcompiler/context/fault"
)

// loginPatience is how long a credential helper may take. It is a program, and can ask the user to
// unlock a key.
const loginPatience = time.Minute

// loginFailures are the reasons why there is no login for a host.
type loginFailures struct {
	mu    sync.Mutex
	hosts map[string]string
}

func (l *loginFailures) of(host string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hosts[host]
}

func (l *loginFailures) add(host, why string) (isNew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, isKnown := l.hosts[host]; isKnown {
		return false
	}
	if l.hosts == nil {
		l.hosts = map[string]string{}
	}
	l.hosts[host] = why
	return true
}

// login returns the credential for a host. Most caches are public, so if the credential cannot be
// read, login warns once and returns none.
func (n *Network) login(ctx context.Context, host string) (auth.Credential, error) {
	if n.Credential == nil || n.failures.of(host) != "" {
		return auth.EmptyCredential, nil
	}
	found, err := n.ask(ctx, host)
	if cause := context.Cause(ctx); cause != nil {
		return auth.EmptyCredential, cause
	}
	if err == nil {
		return found, nil
	}
	why := "the credentials that Docker keeps for it cannot be read: " + printable(err.Error())
	if n.failures.add(host, why) && n.Warn != nil {
		n.Warn(fmt.Sprintf("%s is used without a login, because %s", host, why))
	}
	return auth.EmptyCredential, nil
}

// ask calls Credential, but waits no longer than loginPatience. A helper that doesn't end keeps only
// its goroutine.
func (n *Network) ask(ctx context.Context, host string) (auth.Credential, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginPatience, fmt.Errorf("the credential helper takes longer than %v", loginPatience))
	defer cancel()
	found, failed := make(chan auth.Credential, 1), make(chan error, 1)
	go func() {
		if credential, err := n.Credential(ctx, host); err != nil {
			failed <- err
		} else {
			found <- credential
		}
	}()
	select {
	case credential := <-found:
		return credential, nil
	case err := <-failed:
		return auth.EmptyCredential, cmp.Or(context.Cause(ctx), err)
	case <-ctx.Done():
		return auth.EmptyCredential, context.Cause(ctx)
	}
}

// withLogin adds to a denial why there was no login.
func (c *Client) withLogin(r ArtifactRef, err error) error {
	if c.Network == nil || !errors.Is(err, ErrDenied) {
		return err
	}
	for _, host := range []string{r.Host, c.Network.Mirrors.mirrored(r).Host} {
		if why := c.Network.failures.of(host); why != "" {
			return fault.Errorf(fault.IO, "%w without a login, and %s", err, why)
		}
	}
	return err
}
