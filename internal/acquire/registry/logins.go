package registry

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"
)

// loginPatience is how long a credential helper may take. It is a program, and can ask the user to
// unlock a key.
const loginPatience = time.Minute

// whyNoLogin returns the reason why there is no login for a host, or "".
func (n *Network) whyNoLogin(host string) string {
	if n == nil {
		return ""
	}
	why, _ := n.failures.Load(host)
	text, _ := why.(string)
	return text
}

// login returns the credential for a host. Most caches are public, so if the credential cannot be
// read, login warns once and returns none. It waits no longer than loginPatience: a helper that
// doesn't end keeps only its goroutine.
func (n *Network) login(ctx context.Context, host string) (found auth.Credential, err error) {
	if n.Credential == nil || n.whyNoLogin(host) != "" {
		return auth.EmptyCredential, nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, loginPatience, fmt.Errorf("the credential helper takes longer than %v", loginPatience))
	defer cancel()
	type answer struct {
		credential auth.Credential
		err        error
	}
	answers := make(chan answer, 1)
	go func() {
		credential, err := n.Credential(limited, host)
		answers <- answer{credential, err}
	}()
	select {
	case a := <-answers:
		found, err = a.credential, a.err
	case <-limited.Done():
		err = context.Cause(limited)
	}
	if err == nil {
		return found, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return auth.EmptyCredential, cause
	}
	why := "the credentials that Docker keeps for it cannot be read: " + printable(cmp.Or(context.Cause(limited), err).Error())
	if _, isKnown := n.failures.LoadOrStore(host, why); !isKnown && n.Warn != nil {
		n.Warn(fmt.Sprintf("%s is used without a login, because %s", host, why))
	}
	return auth.EmptyCredential, nil
}
