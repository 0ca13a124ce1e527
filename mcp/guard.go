package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// A guard refuses requests without the token, and requests from the pages of other web sites,
// even if their host name was changed to point to this server (DNS rebinding).
type guard struct {
	next  http.Handler
	hosts map[string]bool
	token *[sha256.Size]byte // hash of the token; nil means no token is needed
}

func newGuard(access Access, next http.Handler) *guard {
	g := &guard{next: next, hosts: map[string]bool{"localhost": true}}
	for _, host := range access.Hosts {
		g.hosts[plainHost(host)] = true
	}
	if access.Token != "" {
		hash := sha256.Sum256([]byte(access.Token))
		g.token = &hash
	}
	return g
}

// allowsSender checks the host and the origin of a request, and refuses others.
func (g *guard) allowsSender(w http.ResponseWriter, r *http.Request) bool {
	if !g.allowsHost(r, r.Host) {
		refuse(w, http.StatusForbidden, "unknown host %q: start the server with --allow-host to allow it", r.Host)
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		if !g.allowsOrigin(r, origin) {
			refuse(w, http.StatusForbidden, "web pages from %q cannot call this server: start it with --allow-host to allow them", origin)
			return false
		}
	}
	return true
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.allowsSender(w, r) {
		return
	}
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", exposedHeaders)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			allowPage(w)
			return
		}
	}
	if !g.allowsToken(r.Header.Values("Authorization")) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="context"`)
		refuse(w, http.StatusUnauthorized, "missing or wrong token: send the header Authorization: Bearer TOKEN")
		return
	}
	g.next.ServeHTTP(w, r)
}

// The headers available to web pages from an allowed origin.
const (
	requestHeaders = "Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, " + sessionHeader
	exposedHeaders = sessionHeader + ", Retry-After, WWW-Authenticate"
)

// allowPage answers a browser asking whether a page can send a request (CORS). Such a preflight
// never contains a token, but the request itself needs it. GET and DELETE are allowed because some
// clients send them, and should learn that the server doesn't support them.
func allowPage(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	w.Header().Set("Access-Control-Allow-Headers", requestHeaders)
	w.Header().Set("Access-Control-Max-Age", "7200") // seconds; no browser accepts more
	w.WriteHeader(http.StatusNoContent)
}

// allowsHost reports whether an authority, which is a host with or without a port, means this
// server: loopback, the receiving address of the request, or an allowed host.
func (g *guard) allowsHost(r *http.Request, authority string) bool {
	host := plainHost(authority)
	if g.hosts[host] {
		return true
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	address = address.Unmap()
	if address.IsLoopback() {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && address == local.AddrPort().Addr().Unmap()
}

func plainHost(authority string) string {
	host := authority
	if h, _, err := net.SplitHostPort(authority); err == nil {
		host = h
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

func (g *guard) allowsOrigin(r *http.Request, origin string) bool {
	from, err := url.Parse(origin)
	return err == nil && (from.Scheme == "http" || from.Scheme == "https") && g.allowsHost(r, from.Host)
}

// allowsToken reports whether the Authorization header contains the token. It compares in
// constant time.
func (g *guard) allowsToken(values []string) bool {
	if g.token == nil {
		return true
	}
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	hash := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(hash[:], g.token[:]) == 1
}

// readBody reads the body of a request. It fails with a *lineError for more than maxLine bytes, and
// with another error if the client is slow or disconnects.
func readBody(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxLine+1))
	if len(text) <= maxLine {
		return text, err
	}
	var long idScanner
	long.Write(text)
	io.Copy(&long, io.LimitReader(body, maxScanned)) // if it fails, the IDs before still help
	return nil, tooLong(long.end())
}

// refuse answers a request with a status and a line of text.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	http.Error(w, fmt.Sprintf(format, args...), status)
}

// refuseForNow tells a client to try again.
func refuseForNow(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusServiceUnavailable, "%s", why)
}
