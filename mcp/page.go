package mcp

import (
	"cmp"
	"net/http"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/author/web"
)

// newPage returns the page for people. The guard checks the host and the origin of its requests,
// but the page checks the token itself, because browsers send it once.
func newPage(cfg Settings, spec serverSpec, access Access, g *guard) http.Handler {
	settings := web.PageSettings{
		Token: access.Token, Version: cfg.Version, Timeout: cfg.toolTimeout(), Calls: cmp.Or(cfg.MaxCalls, DefaultMaxCalls),
		Advice: adviceOn, Allowed: holdConnection,
	}
	if spec.caches != nil {
		settings.Caches = spec.caches
	}
	page := web.New(settings)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.allowsSender(w, r) {
			page.ServeHTTP(w, r)
		}
	})
}

// Names returns the names of all caches, sorted.
func (c *caches) Names() ([]string, error) {
	called, err := c.forCall()
	if err != nil {
		return nil, err
	}
	defer called.close(nil)
	return called.names()
}

// Open opens caches by their names, or all caches.
func (c *caches) Open(names []string) (*answers.Set, func(error), error) {
	called, err := c.forCall()
	if err != nil {
		return nil, nil, err
	}
	set, err := called.open(names, "")
	if err != nil {
		called.close(err)
		return nil, nil, err
	}
	return set, called.close, nil
}
