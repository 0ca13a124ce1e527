package registry

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/pipeline"
)

// A forgery is an artifact that an attacker can change at every level before a server
// offers it. Digests are computed after the change, unless the attack is about them.
type forgery struct {
	packed   PackedCache
	archives [][]byte // layers before compression
	blobs    [][]byte // the same afterwards, if they are not zstd of the archives

	config, manifest func(string) string // changes of the JSON
	serve            func(w http.ResponseWriter, r *http.Request, data []byte) bool
}

// forge packs a sound cache of a few pages.
func forge(t testing.TB, pages ...string) *forgery {
	t.Helper()
	sources := t.TempDir()
	for i, page := range pages {
		if err := os.WriteFile(filepath.Join(sources, fmt.Sprintf("page%d.md", i)), []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "cache")
	if _, err := pipeline.Build(t.Context(), pipeline.Config{Sources: []pipeline.Mount{{Dir: sources}}, Cache: dir}); err != nil {
		t.Fatal(err)
	}
	c, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m, err := c.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	p, err := pack(t.Context(), c, m, true, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &forgery{packed: p.artifact.Packed}
	for _, path := range p.layers {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f.archives = append(f.archives, data)
	}
	return f
}

// seal computes the sizes and digests of the archives.
func (f *forgery) seal() {
	for i, archive := range f.archives {
		f.packed.Layers[i].Digest, f.packed.Layers[i].Size = digest.FromBytes(archive), int64(len(archive))
	}
}

// start serves the forgery and returns its reference.
func (f *forgery) start(t testing.TB) ArtifactRef {
	t.Helper()
	var blobs []ocispec.Descriptor
	content := map[string][]byte{}
	encoder, _ := zstd.NewWriter(nil)
	for i, archive := range f.archives {
		data := encoder.EncodeAll(archive, nil)
		if f.blobs != nil {
			data = f.blobs[i]
		}
		blobs = append(blobs, descriptorOf(mediaTypeZstd, data))
		content[blobs[i].Digest.String()] = data
	}
	a := newArtifact(f.packed, blobs)
	config, manifest := string(a.config), string(a.manifest)
	if f.config != nil {
		config = f.config(config)
		manifest = strings.Replace(manifest, fmt.Sprintf(`%s","size":%d`, digest.FromBytes(a.config), len(a.config)),
			fmt.Sprintf(`%s","size":%d`, digest.FromString(config), len(config)), 1)
	}
	if f.manifest != nil {
		manifest = f.manifest(manifest)
	}
	content[digest.FromString(config).String()] = []byte(config)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		data, ok := content[name]
		if strings.Contains(r.URL.Path, "/manifests/") {
			data, ok = []byte(manifest), name == "v1" || name == digest.FromString(manifest).String()
			var typed struct{ MediaType string }
			if json.Unmarshal(data, &typed) != nil {
				typed.MediaType = ocispec.MediaTypeImageManifest
			}
			w.Header().Set("Content-Type", typed.MediaType)
			w.Header().Set("Docker-Content-Digest", digest.FromBytes(data).String())
		}
		switch {
		case !ok:
			http.NotFound(w, r)
		case f.serve != nil && f.serve(w, r, data):
		default:
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			if r.Method != http.MethodHead {
				w.Write(data)
			}
		}
	}))
	t.Cleanup(server.Close)
	return ArtifactRef{Host: strings.TrimPrefix(server.URL, "http://"), Name: "docs", Tag: "v1"}
}

func replaced(before, after string) func(string) string {
	return func(text string) string {
		if !strings.Contains(text, before) {
			panic(before + " is not in " + text)
		}
		return strings.Replace(text, before, after, 1)
	}
}

// isLayer reports whether a request is for a blob beginning as zstd does.
func isLayer(r *http.Request, data []byte) bool {
	return strings.Contains(r.URL.Path, "/blobs/") && bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd})
}

// rawTar returns an archive by the standard library.
func rawTar(headers ...tar.Header) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		h.Format, h.Mode = tar.FormatUSTAR, 0o644
		if err := w.WriteHeader(&h); err != nil {
			panic(err)
		}
	}
	w.Close()
	return out.Bytes()
}

// plainTar returns an archive of empty files by tarWriter, which doesn't check names.
func plainTar(names ...string) []byte {
	var out bytes.Buffer
	w := newTarWriter(&out)
	for _, name := range names {
		if err := w.add(name, 0, nil); err != nil {
			panic(err)
		}
	}
	w.close()
	return out.Bytes()
}

// attacks change an artifact so that it must be refused, with a message that says why.
var attacks = []struct {
	name, why string
	change    func(f *forgery)
}{
	{"wrong bytes", "hash to|layer documents: .*", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				data[len(data)/2] ^= 1 // shared, so each attempt gets other bytes
			}
			return false
		}
	}},
	{"wrong bytes after the frame", "more bytes than announced|mismatch", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				w.Write(append(bytes.Clone(data), 0))
				w.(http.Flusher).Flush()
			}
			return isLayer(r, data)
		}
	}},
	{"an endless body", "more bytes than announced", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				w.Write(data)
				for r.Context().Err() == nil {
					if _, err := w.Write(make([]byte, 1024)); err != nil {
						break
					}
				}
			}
			return isLayer(r, data)
		}
	}},
	{"a short body", "ends early", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				w.(http.Flusher).Flush() // so the server doesn't announce the size
				w.Write(data[:len(data)/2])
			}
			return isLayer(r, data)
		}
	}},
	{"another size in the header", "mismatch", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				w.Header().Set("Content-Length", "3")
				w.Write(data[:3])
			}
			return isLayer(r, data)
		}
	}},
	{"a missing layer", "which the manifest lists, is missing", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			if isLayer(r, data) {
				http.NotFound(w, r)
			}
			return isLayer(r, data)
		}
	}},
	{"a bomb that says so", "expands to 1000000000000 bytes", func(f *forgery) { f.packed.Layers[0].Size = 1e12 }},
	{"a bomb that doesn't", "archive ends early|hashes to", func(f *forgery) {
		honest := f.packed.Layers[0]
		f.archives[0] = plainTarOf("manifest.json", 1<<25)
		f.packed.Layers[0] = honest
	}},
	{"a bomb of one file", "hashes to", func(f *forgery) {
		f.archives[0] = plainTarOf("manifest.json", 1<<24)
		f.packed.Layers[0].Size = int64(len(f.archives[0]))
	}},
	{"a huge window", "window", func(f *forgery) {
		encoder, _ := zstd.NewWriter(nil, zstd.WithWindowSize(zstd.MaxWindowSize), zstd.WithSingleSegment(false))
		f.blobs = [][]byte{encoder.EncodeAll(f.archives[0], nil), encoder.EncodeAll(f.archives[1], nil)}
		f.blobs[0][5] = 0xf8 // of the header: a window of a terabyte
	}},
	{"not zstd", "magic number", func(f *forgery) { f.blobs = [][]byte{[]byte("hello"), []byte("hello")} }},
	{"a path out of the cache", "not a plain path", func(f *forgery) { f.archives[0] = plainTar("../manifest.json"); f.seal() }},
	{"an absolute path", "not a plain path", func(f *forgery) { f.archives[0] = plainTar("/manifest.json"); f.seal() }},
	{"a path in a directory", "doesn't belong", func(f *forgery) { f.archives[0] = plainTar("documents/", "documents/x/y.json"); f.seal() }},
	{"another directory", "doesn't belong", func(f *forgery) { f.archives[0] = plainTar("other/"); f.seal() }},
	{"a symlink", "link or another kind", func(f *forgery) {
		f.archives[0] = rawTar(tar.Header{Name: "manifest.json", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink})
		f.seal()
	}},
	{"a hard link", "link or another kind", func(f *forgery) {
		f.archives[0] = rawTar(tar.Header{Name: "manifest.json", Linkname: "index.json", Typeflag: tar.TypeLink})
		f.seal()
	}},
	{"a device", "link or another kind", func(f *forgery) {
		f.archives[0] = rawTar(tar.Header{Name: "manifest.json", Typeflag: tar.TypeBlock, Devmajor: 8})
		f.seal()
	}},
	{"a file twice", "does not come after", func(f *forgery) { f.archives[0] = plainTar("manifest.json", "manifest.json"); f.seal() }},
	{"the index among documents", "doesn't belong", func(f *forgery) { f.archives[0] = plainTar(cache.IndexPath); f.seal() }},
	{"a document in the index layer", "doesn't belong", func(f *forgery) { f.archives[1] = plainTar("index.json"); f.seal() }},
	{"a foreign file", "does not belong to a cache|more files", func(f *forgery) {
		f.archives[0] = insertInto(f.archives[0], "notes.txt")
		f.seal()
	}},
	{"more files than documents", "more files than", func(f *forgery) {
		f.archives[0] = plainTar("documents/", "documents/a", "documents/b", "documents/c", "documents/d", "documents/e")
		f.seal()
	}},
	{"no files", "manifest.json", func(f *forgery) { f.archives[0] = plainTar("documents/"); f.seal() }},
	{"an archive with another digest", "archive hashes to", func(f *forgery) { f.packed.Layers[0].Digest = digest.FromString("") }},
	{"another document", "hashes to", func(f *forgery) {
		f.archives[0] = bytes.Replace(f.archives[0], []byte("harbour"), []byte("harvest"), 1)
		f.seal()
	}},
	{"another index", cache.IndexPath, func(f *forgery) {
		f.archives[1][len(f.archives[1])/2] ^= 1
		f.seal()
	}},
	{"another number of documents", "the config says|more files", func(f *forgery) { f.packed.DocumentCount++ }},
	{"another cache version", "but the config says", func(f *forgery) { f.packed.CacheVersion = digest.FromString("") }},
	{"another selection", "but the config says", func(f *forgery) { f.packed.Selection = 0 }},
	{"another format", "update the program", func(f *forgery) { f.packed.Format = "2" }},
	{"swapped layers", "expected the layer documents", func(f *forgery) {
		f.packed.Layers[0], f.packed.Layers[1] = f.packed.Layers[1], f.packed.Layers[0]
	}},
	{"a config that contradicts itself", "the config differs", func(f *forgery) {
		f.config = replaced(`"diff_ids":["sha256:`, `"diff_ids":["sha256:`+strings.Repeat("0", 64)+`","sha256:`)
	}},
	{"a config with more fields", "the config differs", func(f *forgery) { f.config = replaced(`{"architecture"`, `{"author":"me","architecture"`) }},
	{"a config that is not JSON", "not JSON", func(f *forgery) { f.config = func(string) string { return "hello" } }},
	{"a config of the wrong types", "not JSON for an image", func(f *forgery) { f.config = replaced(`"document_count":2`, `"document_count":"2"`) }},
	{"a manifest that isn't JSON", "not JSON|it is not a cache", func(f *forgery) {
		f.manifest = func(text string) string { return text[:len(text)-1] }
	}},
	{"a manifest with more fields", "contradicts its config", func(f *forgery) { f.manifest = replaced(`{"schemaVersion"`, `{"subject":null,"schemaVersion"`) }},
	{"a manifest that contradicts the config", "contradicts its config", func(f *forgery) { f.manifest = replaced(`cache.documents":"2"`, `cache.documents":"3"`) }},
	{"an index instead of a manifest", "it is not a cache: its type", func(f *forgery) {
		f.manifest = func(string) string {
			return `{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageIndex + `","manifests":[]}`
		}
	}},
	{"another artifact", `it is not a cache: the artifact type is "application/vnd.other"`, func(f *forgery) { f.manifest = replaced(ArtifactType, "application/vnd.other") }},
	{"an unknown compression", "unknown type", func(f *forgery) { f.manifest = allReplaced("tar+zstd", "tar+lzma") }},
	{"two compressions", "unknown type", func(f *forgery) { f.manifest = replaced("tar+zstd", "tar") }},
	{"a layer of another size", "announced|mismatch", func(f *forgery) {
		f.manifest = func(text string) string {
			i := strings.Index(text, `"layers"`)
			return text[:i] + replaced(`"size":`, `"size":1`)(text[i:])
		}
	}},
	{"a layer of negative size", "lists a blob of -", func(f *forgery) { f.manifest = replaced(`"size":`, `"size":-`) }},
	{"another hash function", "contains the digest", func(f *forgery) { f.manifest = replaced(`"sha256:`, `"md5:`) }},
	{"a huge manifest", "of at most 65536", func(f *forgery) {
		f.manifest = func(text string) string { return text + strings.Repeat(" ", maxManifest) }
	}},
	{"a huge config", "the config has", func(f *forgery) {
		f.config = func(text string) string { return text + strings.Repeat(" ", maxConfig) }
	}},
	{"another manifest than announced", "hashes to|mismatch", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			isManifest := strings.Contains(r.URL.Path, "/manifests/sha256:") && r.Method == http.MethodGet
			if isManifest {
				w.Write(bytes.Replace(data, []byte("amd64"), []byte("arm64"), 1)[1:])
			}
			return isManifest
		}
	}},
	{"an endless manifest", "announced|mismatch", func(f *forgery) {
		f.serve = func(w http.ResponseWriter, r *http.Request, data []byte) bool {
			isManifest := strings.Contains(r.URL.Path, "/manifests/sha256:") && r.Method == http.MethodGet
			for isManifest {
				if _, err := w.Write(data); err != nil {
					break
				}
			}
			return isManifest
		}
	}},
}

func allReplaced(before, after string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, before, after) }
}

// plainTarOf returns an archive of a file with zeros.
func plainTarOf(name string, size int64) []byte {
	out := bytes.NewBuffer(make([]byte, 0, size+4*512))
	w := newTarWriter(out)
	if err := w.add(name, size, endlessZeros{}); err != nil {
		panic(err)
	}
	w.close()
	return out.Bytes()
}

type endlessZeros struct{}

func (endlessZeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// insertInto adds an empty file to the end of an archive.
func insertInto(archive []byte, name string) []byte {
	const endBlocks = 2 * 512
	return append(bytes.Clone(archive[:len(archive)-endBlocks]), plainTar(name)...)
}

func TestADamagedOrForgedArtifactIsRefused(t *testing.T) {
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			t.Parallel()
			f := forge(t, "# One\n\nThe harbour.\n", "# Two\n")
			attack.change(f)
			refuse(t, f.start(t), attack.why)
		})
	}
	t.Run("none", func(t *testing.T) { // otherwise, the forgeries could all fail for another reason
		target := filepath.Join(t.TempDir(), "cache")
		client := clientOf(t)
		if _, err := client.Pull(t.Context(), forge(t, "# One\n").start(t), target, false); err != nil {
			t.Fatal(err)
		}
	})
}

func clientOf(t testing.TB) *Client {
	return &Client{Store: store.Store{Dir: filepath.Join(t.TempDir(), "store")}, Network: &Network{HTTP: http.DefaultClient}}
}

// refuse fails unless pulling a reference fails because the artifact is invalid. Neither
// the target nor the store must contain anything of it.
func refuse(t *testing.T, r ArtifactRef, why string) {
	t.Helper()
	client := clientOf(t)
	target := filepath.Join(t.TempDir(), "cache")
	_, err := client.Pull(t.Context(), r, target, false)
	if err == nil || fault.CodeOf(err) != fault.CacheInvalid {
		t.Fatalf("got %v, want an invalid cache", err)
	}
	matched := false
	for _, part := range strings.Split(why, "|") {
		matched = matched || strings.Contains(err.Error(), strings.TrimSuffix(part, ".*"))
	}
	if !matched {
		t.Errorf("got %q, want %q", err, why)
	}
	if strings.Contains(err.Error(), "context-new") || strings.Contains(err.Error(), client.Store.Dir) {
		t.Errorf("the message names a temporary file: %q", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(target)); err != nil || len(entries) > 1 {
		t.Errorf("the directory of the target contains %v (%v)", entries, err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target exists")
	}
	stored, err := client.Store.List(t.Context())
	if err != nil || len(stored) > 0 {
		t.Errorf("the store contains %v (%v)", stored, err)
	}
}

// An attack on an existing cache leaves it as it was.
func TestARefusedArtifactLeavesTheOldCache(t *testing.T) {
	client := clientOf(t)
	target := filepath.Join(t.TempDir(), "cache")
	if _, err := client.Pull(t.Context(), forge(t, "# One\n").start(t), target, false); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(target, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	f := forge(t, "# Two\n")
	f.packed.Layers[0].Digest = digest.FromString("")
	if _, err := client.Pull(t.Context(), f.start(t), target, true); fault.CodeOf(err) != fault.CacheInvalid {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(target, "manifest.json")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the old cache changed (%v)", err)
	}
}
