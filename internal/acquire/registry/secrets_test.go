package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/effort"
)

// secrets must not reach any message, nor a host that they aren't for.
const (
	canaryPassword  = "canary-password"
	canaryToken     = "canary-token"
	canarySignature = "canary-signature"
)

// A heard host remembers who asked it with which authorization.
type heardHost struct {
	sync.Mutex
	authorizations []string
}

func (h *heardHost) hear(r *http.Request) {
	h.Lock()
	defer h.Unlock()
	h.authorizations = append(h.authorizations, r.Header.Get("Authorization"))
}

// guarded makes a forgery ask for a token from another host, and redirects blobs to a third
// host, as large registries do. If isBroken is set, that host refuses.
func guarded(t *testing.T, f *forgery, isBroken bool) (r ArtifactRef, realm, storage *heardHost) {
	t.Helper()
	realm, storage = &heardHost{}, &heardHost{}
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		realm.hear(r)
		json.NewEncoder(w).Encode(map[string]string{"token": canaryToken})
	}))
	t.Cleanup(tokens.Close)
	var blobs sync.Map
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		storage.hear(r)
		if isBroken || r.URL.Query().Get("sig") != canarySignature {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		data, _ := blobs.Load(r.URL.Path)
		w.Write(data.([]byte))
	}))
	t.Cleanup(elsewhere.Close)
	f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
		if r.Header.Get("Authorization") != "Bearer "+canaryToken {
			w.Header().Set("WWW-Authenticate", `Bearer realm="`+tokens.URL+`/token",service="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if isLayer(r, data) {
			blobs.Store(r.URL.Path, data)
			http.Redirect(w, r, elsewhere.URL+r.URL.Path+"?sig="+canarySignature, http.StatusTemporaryRedirect)
			return true
		}
		return false
	}
	return f.start(t), realm, storage
}

func TestTokensStayWithTheRegistry(t *testing.T) {
	for _, isBroken := range []bool{false, true} {
		r, realm, storage := guarded(t, forge(t, "# One\n"), isBroken)
		client := clientOf(t)
		client.Network.Credential = func(_ context.Context, host string) (auth.Credential, error) {
			if host != r.Host {
				t.Errorf("credentials for %s were asked for", host)
			}
			return auth.Credential{Username: "me", Password: canaryPassword}, nil
		}
		_, err := client.Pull(t.Context(), r, filepath.Join(t.TempDir(), "cache"), false)
		if isBroken && (err == nil || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), "403")) || !isBroken && err != nil {
			t.Fatal(err)
		}
		if isBroken && strings.Contains(err.Error(), "canary") {
			t.Errorf("the message contains a secret: %v", err)
		}
		if len(realm.authorizations) == 0 || !strings.HasPrefix(realm.authorizations[0], "Basic ") {
			t.Errorf("the host of tokens got %q, want the password", realm.authorizations)
		}
		if len(storage.authorizations) == 0 || strings.Join(storage.authorizations, "") != "" {
			t.Errorf("the host of blobs got the authorizations %q, want none", storage.authorizations)
		}
	}
}

// Whatever a server answers, and wherever it sends us, no message contains a secret.
func TestMessagesContainNoSecrets(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
		},
		"a redirect to nowhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x?sig="+canarySignature, http.StatusTemporaryRedirect)
		},
		"a redirect to nonsense": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://me:"+canaryPassword+"@%zz/?sig="+canarySignature)
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
		"a realm of another scheme": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="file:///etc/passwd?`+canarySignature+`"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
		"a manifest without a type": func(http.ResponseWriter, *http.Request) {},
	} {
		server := httptest.NewServer(answer)
		t.Cleanup(server.Close)
		client := clientOf(t)
		client.Network.Credential = auth.StaticCredential(strings.TrimPrefix(server.URL, "http://"), auth.Credential{Username: "me", Password: canaryPassword})
		r := ArtifactRef{Host: strings.TrimPrefix(server.URL, "http://"), Name: "docs", Tag: "v1"}
		_, err := client.Resolve(t.Context(), r)
		if err == nil || fault.CodeOf(err) == fault.Internal {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the message contains a secret: %v", name, err)
		}
	}
}

// A text of a server fits a line, and cannot control the terminal.
func TestTextsOfServersAreHarmless(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		text, _ := json.Marshal("\x1b[2Jgone\n" + strings.Repeat("x", 5000))
		w.Write([]byte(`{"errors":[{"code":"TOOMANYREQUESTS","message":` + string(text) + `}]}`))
	}))
	t.Cleanup(server.Close)
	f := ArtifactRef{Host: strings.TrimPrefix(server.URL, "http://"), Name: "docs", Tag: "v1"}
	err := clientOf(t).Network.repository(f).Push(t.Context(), descriptorOf(mediaTypePlain, nil), http.NoBody)
	err = storageError(t.Context(), err)
	if err == nil || len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\x1b\n") || !strings.Contains(err.Error(), "429") {
		t.Errorf("%q", err)
	}
}

// Sixteen pulls of the same cache at once download it once.
func TestPullsAtOnceShareADownload(t *testing.T) {
	f := forge(t, "# One\n", "# Two\n")
	var mu sync.Mutex
	downloads := 0
	f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
		if isLayer(r, data) {
			mu.Lock()
			defer mu.Unlock()
			downloads++
		}
		return false
	}
	r, client, dir := f.start(t), clientOf(t), t.TempDir()
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			target := filepath.Join(dir, string(rune('a'+i)))
			if _, err := client.Pull(t.Context(), r, target, false); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(target, "manifest.json")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	const layers = 2
	if downloads != layers {
		t.Errorf("%d layers were downloaded, want %d", downloads, layers)
	}
}

// A copy in the store that was damaged since is found, and never becomes a cache.
func TestADamagedStoreIsFound(t *testing.T) {
	r, client := forge(t, "# One\n\nThe harbour.\n").start(t), clientOf(t)
	stored, err := client.Fetch(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cache/selection.idx", "cache/index.json", "cache/manifest.json", "config.json", "manifest.json"} {
		path := filepath.Join(filepath.Dir(stored.Dir), name)
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := append([]byte{}, sound...)
		damaged[len(damaged)/2] ^= 1
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(t.TempDir(), "cache")
		_, err = client.Pull(t.Context(), r, target, false)
		if err == nil || fault.CodeOf(err) != fault.CacheInvalid || !strings.Contains(err.Error(), "the copy in the store is damaged") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(target); err == nil {
			t.Errorf("%s: the target exists", name)
		}
		if err := os.WriteFile(path, sound, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Removing a copy that cannot be read now would help nobody.
func TestWhatTheSystemRefusesIsNoDamage(t *testing.T) {
	for _, refused := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EACCES, syscall.EIO, fault.Errorf(fault.IO, "refused")} {
		err := damagedEntry("entry", &fs.PathError{Op: "open", Path: "x", Err: refused})
		if fault.CodeOf(err) != fault.IO || !errors.Is(err, refused) || strings.Contains(err.Error(), "remove") {
			t.Errorf("%v: got %v", refused, err)
		}
	}
	for _, damage := range []error{syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP, errors.New("its hash is another")} {
		err := damagedEntry("entry", &fs.PathError{Op: "open", Path: "x", Err: damage})
		if fault.CodeOf(err) != fault.CacheInvalid || !strings.Contains(err.Error(), "remove entry") {
			t.Errorf("%v: got %v", damage, err)
		}
	}
}

func TestMain(m *testing.M) { effort.Main(m) }
