// Package web is the page of the server over HTTP, on which people look at the answers that agents
// get. It renders the same answers of package agent as HTML.
//
//	request ─> headers ─> session ─> parseRequest ─> view ─> agent ─> template
//
// The page works without JavaScript. It loads nothing from other hosts, and nothing from the pages
// it shows can run, load or submit anything. The size of a request, its time, and the number of
// concurrent requests are limited.
package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/answers"
)

// A CacheOpener opens the caches of a server.
type CacheOpener interface {
	// Names returns the names of all caches, sorted.
	Names() ([]string, error)
	// Open opens caches by their names, or all if names is empty. The caller must call release
	// with the error of its work, or nil.
	Open(names []string) (set *answers.Set, release func(error), err error)
}

// PageSettings say what a page shows and to whom.
type PageSettings struct {
	Caches  CacheOpener // nil if the server has none
	Token   string      // "" lets everybody in
	Version string      // of this program
	Timeout time.Duration
	Calls   int                 // maximum number of views in progress
	Advice  func(error) string  // tells users about an error without its details
	Allowed func(*http.Request) // called for each view that the token allows; may be nil
}

// maxWaiting is how many requests can run or wait. Later ones are refused.
const maxWaiting = 128

// maxForm is the maximum size of a form in bytes.
const maxForm = 8 << 10

type server struct {
	PageSettings
	sessions sessions
	running  chan struct{}
	waiting  chan struct{}
}

// New returns the handler of a page. Its caller must check the host and the origin of requests.
func New(s PageSettings) http.Handler {
	p := &server{s, sessions{s.Token, time.Now}, make(chan struct{}, s.Calls), make(chan struct{}, maxWaiting)}
	mux := http.NewServeMux()
	for name := range assets {
		mux.HandleFunc("GET /"+name, serveAsset)
	}
	for _, view := range []string{"/{$}", askView, whyView, outlineView, readView, compareView} {
		mux.HandleFunc("GET "+view, p.serveView)
	}
	mux.HandleFunc("GET "+sessionView, p.showSession)
	mux.HandleFunc("POST "+sessionView, p.changeSession)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html") { // not a browser
			http.Error(w, "there is nothing at this address: MCP is at /mcp, and the page for people at /", http.StatusNotFound)
			return
		}
		failed := agent.ArgumentError("there is nothing at this address; start with a question")
		request, _ := parseRequest(searchView, nil) // an empty form
		p.write(w, http.StatusNotFound, &pageView{Request: request, Error: failed.Error()})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		mux.ServeHTTP(w, r)
	})
}

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

//go:embed page.html assets
var files embed.FS

// templates are parsed for the first page, because most commands show none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(Functions).Funcs(functions).ParseFS(files, "page.html"))
})

// An asset is a file of the page, such as its style sheet.
type asset struct{ kind, text, hash string }

var assets = map[string]asset{
	"style.css": newAsset(BaseStyle+readAsset("style.css"), "text/css; charset=utf-8"),
	"page.js":   newAsset(readAsset("page.js"), "text/javascript; charset=utf-8"),
	"icon.svg":  newAsset(readAsset("icon.svg"), "image/svg+xml"),
}

// BaseStyle is a style sheet with the colours, the texts and the tables of the page, for other
// documents.
var BaseStyle = readAsset("base.css")

func readAsset(name string) string {
	text, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic("web: " + err.Error())
	}
	return string(text)
}

func newAsset(text, kind string) asset {
	hash := sha256.Sum256([]byte(text))
	return asset{kind, text, hex.EncodeToString(hash[:6])}
}

// assetAddress returns the address of an asset, which changes with its content, so that browsers
// can keep it.
func assetAddress(name string) string { return "/" + name + "?" + assets[name].hash }

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a := assets[strings.TrimPrefix(r.URL.Path, "/")]
	w.Header().Set("Content-Type", a.kind)
	if r.URL.RawQuery == a.hash {
		w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.text)))
	w.Write([]byte(a.text))
}

func (p *server) serveView(w http.ResponseWriter, r *http.Request) {
	if !p.sessions.allows(r) {
		p.askForToken(w, http.StatusUnauthorized, r.URL.RequestURI(), "")
		return
	}
	if p.Allowed != nil {
		p.Allowed(r)
	}
	select {
	case p.waiting <- struct{}{}:
		defer func() { <-p.waiting }()
	default:
		p.refuse(w, r, "too many people are asking at once: try again in a moment")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.Timeout)
	defer cancel()
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		p.refuse(w, r, "the server is busy: try again in a moment")
		return
	}
	made, err := p.view(ctx, r)
	status := http.StatusOK
	if err != nil {
		status = http.StatusServiceUnavailable
		made.Error = p.Advice(err)
		if _, isArgument := errors.AsType[agent.ArgumentError](err); isArgument {
			status = http.StatusBadRequest
		}
	}
	p.write(w, status, made)
}

// refuse answers with the form, so that the user can try again.
func (p *server) refuse(w http.ResponseWriter, r *http.Request, why string) {
	request, _ := parseRequest(r.URL.Path, r.URL.Query())
	w.Header().Set("Retry-After", "1")
	p.write(w, http.StatusServiceUnavailable, &pageView{Request: request, Error: why})
}

func (p *server) write(w http.ResponseWriter, status int, made *pageView) {
	made.HasSession = p.Token != ""
	made.Version = p.Version
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, "page", made); err != nil {
		http.Error(w, "internal error in the page", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

// askForToken shows the form for the token, which leads to another address of the page.
func (p *server) askForToken(w http.ResponseWriter, status int, next, why string) {
	// Without a referrer, browsers would also leave the origin out of the form's request.
	w.Header().Set("Referrer-Policy", "same-origin")
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="context"`)
	}
	p.write(w, status, &pageView{Request: viewRequest{View: sessionView}, Next: next, Error: why, IsLocked: true})
}

func (p *server) showSession(w http.ResponseWriter, r *http.Request) {
	switch {
	case p.Token == "":
		http.Redirect(w, r, searchView, http.StatusSeeOther)
	case !p.sessions.allows(r):
		p.askForToken(w, http.StatusOK, searchView, "")
	default:
		w.Header().Set("Referrer-Policy", "same-origin")
		p.write(w, http.StatusOK, &pageView{Request: viewRequest{View: sessionView}})
	}
}

// changeSession begins a session with the token of the form, or ends it.
func (p *server) changeSession(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	next := localAddress(r.PostFormValue("next"))
	switch {
	case r.PostFormValue("end") != "":
		p.sessions.end(w, r)
		http.Redirect(w, r, sessionView, http.StatusSeeOther)
	case p.Token == "":
		http.Redirect(w, r, searchView, http.StatusSeeOther)
	case !p.sessions.isToken(r.PostFormValue("token")):
		p.askForToken(w, http.StatusForbidden, next, "this is not the token of the server: paste the content of its token file")
	default:
		p.sessions.begin(w, r)
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}

// localAddress returns an address of this page, or the address of the first view for any other.
func localAddress(text string) string {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "" || to.Host != "" || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") || strings.Contains(text, `\`) {
		return searchView
	}
	return to.RequestURI()
}
