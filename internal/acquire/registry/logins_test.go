package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/contextcompiler/context/fault"
)

func brokenHelper(context.Context, string) (auth.Credential, error) {
	return auth.EmptyCredential, errors.New(`exec: "docker-credential-nope": not found`)
}

// A registry of public caches still asks everybody for a token.
func TestAPublicPullGoesOnWithoutALogin(t *testing.T) {
	r, realm, _ := guarded(t, forge(t, "# One\n"), false)
	client := clientOf(t)
	var warnings []string
	client.Network.Credential, client.Network.Warn = brokenHelper, func(w string) { warnings = append(warnings, w) }
	if _, err := client.Pull(t.Context(), r, filepath.Join(t.TempDir(), "cache"), false); err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], r.Host) || !strings.Contains(warnings[0], "docker-credential-nope") {
		t.Errorf("got the warnings %q", warnings)
	}
	if len(realm.authorizations) == 0 {
		t.Error("the registry has not asked for a token")
	}
}

func TestADenialSaysWhyThereWasNoLogin(t *testing.T) {
	for name, challenge := range map[string]string{"basic": `Basic realm="docs"`, "none": ""} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", challenge)
			w.WriteHeader(http.StatusUnauthorized)
		}))
		defer server.Close()
		r := ArtifactRef{Host: strings.TrimPrefix(server.URL, "http://"), Name: "docs", Tag: "v1"}
		client := clientOf(t)
		client.Network.Credential = brokenHelper
		client.Network.login(t.Context(), r.Host)
		for what, err := range map[string]error{
			"pull": func() error { _, err := client.Fetch(t.Context(), r); return err }(),
			"push": func() error { _, err := client.Attach(t.Context(), r, nil); return err }(),
		} {
			if !errors.Is(err, ErrDenied) || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "docker-credential-nope") {
				t.Errorf("%s, %s: got %v", name, what, err)
			}
		}
	}
}

// A helper can wait for a user who isn't there, and can go on after its caller has given up.
func TestAHelperThatHangsIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		defer close(end)
		n := &Network{Credential: func(context.Context, string) (auth.Credential, error) { <-end; return auth.EmptyCredential, nil }}
		start := time.Now()
		if found, err := n.login(t.Context(), "a"); err != nil || found != auth.EmptyCredential || time.Since(start) > loginPatience {
			t.Errorf("got %v, %v after %v", found, err, time.Since(start))
		}
		if why := n.whyNoLogin("a"); !strings.Contains(why, "longer than 1m0s") {
			t.Errorf("got the reason %q", why)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := n.login(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) || n.whyNoLogin("b") != "" {
			t.Errorf("got %v and the reason %q for a call that has ended", err, n.whyNoLogin("b"))
		}
	})
}

func TestALoginIsUsed(t *testing.T) {
	want := auth.Credential{Username: "me", Password: canaryPassword}
	n := &Network{Credential: func(context.Context, string) (auth.Credential, error) { return want, nil }}
	if found, err := n.login(t.Context(), "a"); found != want || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
}

// A list of what is attached to a cache can be endless.
func TestPagesOfReferrersAreBounded(t *testing.T) {
	f := forge(t, "# One\n")
	var asked atomic.Int64
	r := f.start(t)
	inner := "http://" + r.Host
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.Path, "/referrers/") {
			http.Redirect(w, r, inner+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s?page=%d>; rel="next"`, r.URL.Path, asked.Add(1)))
		w.Header().Set("Content-Type", ocispec.MediaTypeImageIndex)
		w.Write([]byte(`{"schemaVersion":2,"manifests":[]}`))
	}))
	defer server.Close()
	r.Host = strings.TrimPrefix(server.URL, "http://")
	_, err := clientOf(t).Reports(t.Context(), r)
	if fault.CodeOf(err) != fault.CacheInvalid || asked.Load() > maxPages || !strings.Contains(err.Error(), "more than 64 pages") {
		t.Errorf("got %v after %d pages", err, asked.Load())
	}
}
