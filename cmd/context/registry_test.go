//go:build unix

package main

import (
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// serveRegistry starts an empty registry and sets the variable REGISTRY to its host and
// port. With a user and a password, which it writes to the configuration of Docker, the
// registry is closed to everybody else.
func serveRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 && len(args) != 2 {
		ts.Fatalf("usage: registry [user password]")
	}
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if len(args) == 2 {
		open := handler
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != args[0] || password != args[1] {
				w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
				http.Error(w, `{"errors":[{"code":"UNAUTHORIZED","message":"who are you?"}]}`, http.StatusUnauthorized)
				return
			}
			open.ServeHTTP(w, r)
		})
	}
	server := httptest.NewServer(handler)
	ts.Defer(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	ts.Setenv("REGISTRY", host)
	if len(args) == 2 {
		login := base64.StdEncoding.EncodeToString([]byte(args[0] + ":" + args[1]))
		dir := ts.MkAbs("docker")
		ts.Check(os.MkdirAll(dir, 0o777))
		ts.Check(os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths":{"`+host+`":{"auth":"`+login+`"}}}`), 0o600))
	}
}
