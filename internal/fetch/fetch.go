// Package fetch brings sources from git repositories and archives into a store and pins them, so
// builds need no network and always read the same files.
//
//	source ──resolve──> pin ──download, unpack, hash──> entry of the store
//	 URL, ref            commit or SHA-256, tree          files
//
// No other package opens connections for sources. Everything a server sends is bounded, and
// nothing is executed.
package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/lazy"
	"github.com/contextcompiler/context/internal/replace"
	"github.com/contextcompiler/context/internal/store"
)

// An Origin is a place outside the project with pages.
type Origin struct {
	Git     string // URL of a repository, or
	Archive string // URL of a .tar, .tar.gz, .tgz, .tar.bz2, .tar.zst or .zip
	Ref     string // tag, branch or commit of Git; "" means its default branch
	Dir     string // slash path of the directory to read; "" means everything
}

// A Pin is an Origin with the exact version to fetch.
type Pin struct {
	Origin
	Commit string // of Git, 40 or 64 hex digits
	SHA256 string // of Archive, 64 hex digits
	Tree   string // of all files in the entry, as go.sum hashes them ("h1:...")
}

// Key returns the key of the entry with the pinned files.
func (p Pin) Key() store.EntryKey {
	if p.Archive != "" {
		return store.EntryKey("archive-" + p.SHA256)
	}
	key := "git-" + p.Commit
	if p.Dir != "" { // because the entry contains the files of this directory only
		sum := sha256.Sum256([]byte(p.Dir))
		key += "-" + hex.EncodeToString(sum[:8])
	}
	return store.EntryKey(key)
}

// Pages returns the directory of the pages, given the directory of the entry.
func (p Pin) Pages(entry string) string {
	return filepath.Join(entry, filepath.FromSlash(p.Dir))
}

func (p Pin) String() string {
	if p.Archive != "" {
		return "sha256:" + p.SHA256
	}
	return p.Commit
}

// String returns the origin for messages. It leaves out the query of a URL, which can contain a token.
func (s Origin) String() string {
	if s.Archive != "" {
		before, _, hasQuery := strings.Cut(s.Archive, "?")
		if hasQuery {
			before += "?..."
		}
		return before
	}
	if s.Ref == "" {
		return s.Git
	}
	return s.Git + " at " + s.Ref
}

var (
	scpLike = lazy.Regexp(`^[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:[^:]`) // git@example.org:docs.git
	refName = lazy.Regexp(`^[A-Za-z0-9_][A-Za-z0-9._/+@-]*$`)
)

// Check fails unless the URL has a known scheme and no password, the ref can name a branch, a
// tag or a commit, and the directory is a plain path.
func (s Origin) Check() error {
	switch {
	case s.Git != "" && s.Archive != "":
		return fmt.Errorf("expected either git or archive, got both")
	case s.Archive != "" && s.Ref != "":
		return fmt.Errorf("an archive has no ref: its URL names the version")
	case s.Archive != "":
		if err := checkURL(s.Archive, "https", "http", "file"); err != nil {
			return err
		}
		if _, err := unpackerOf(s.Archive); err != nil {
			return err
		}
	case scpLike().MatchString(s.Git) && !strings.HasPrefix(s.Git, "-"):
	default:
		if err := checkURL(s.Git, "https", "http", "ssh", "git", "file"); err != nil {
			return err
		}
	}
	if s.Ref != "" && (!refName().MatchString(s.Ref) || strings.Contains(s.Ref, "..") || strings.Contains(s.Ref, "@{")) {
		return fmt.Errorf("%q is not the name of a branch or a tag, nor a commit", s.Ref)
	}
	if s.Dir != "" && (!fs.ValidPath(s.Dir) || s.Dir == "." || strings.ContainsAny(s.Dir, "\\\x00\n:")) {
		return fmt.Errorf("%q is not a directory such as docs or content/en", s.Dir)
	}
	return nil
}

func checkURL(text string, schemes ...string) error {
	parsed, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("the URL cannot be read: %w", err.(*url.Error).Err)
	}
	if _, ok := parsed.User.Password(); ok {
		return fmt.Errorf("the URL of %s contains a password: keep it in git's credential helper or in ~/.netrc instead", parsed.Host)
	}
	for _, scheme := range schemes {
		if parsed.Scheme == scheme && (parsed.Host != "" || scheme == "file") && parsed.Path != "" {
			return nil
		}
	}
	return fmt.Errorf("expected a URL that begins with %s://, got %q", strings.Join(schemes, ":// or "), parsed.Redacted())
}

// A Fetcher fetches sources into a store.
type Fetcher struct {
	Store   store.Store
	Now     time.Time // marks entries as used
	Environ []string  // of git, which finds its credentials there
	Client  *http.Client

	maxObjects int64 // bytes of a repository; 0 means maxDownload
}

// Resolve pins the current version of a source and fetches it. For a repository, it asks the
// server for the commit of the ref; for an archive, it computes the SHA-256 of the download.
// It fails with [fault.IO].
func (f Fetcher) Resolve(ctx context.Context, s Origin) (Pin, error) {
	if s.Archive != "" {
		return f.resolveArchive(ctx, s)
	}
	commit, err := f.commitOf(ctx, s)
	if err != nil {
		return Pin{}, ioError(ctx, s, err)
	}
	return f.Fetch(ctx, Pin{Origin: s, Commit: commit})
}

// Fetch fetches the files of a pin unless the store already contains them, and returns the pin
// with the hash of its tree. It fails with [fault.IO] if the source can no longer be
// fetched, and with [fault.Stale] if the files differ from the pinned files.
func (f Fetcher) Fetch(ctx context.Context, p Pin) (Pin, error) {
	return f.fill(ctx, p, func(into *entryFiles, work string) error {
		if p.Archive == "" {
			return f.unpackCommit(ctx, p, into, work)
		}
		at := filepath.Join(work, "download")
		got, err := f.save(ctx, p.Archive, at)
		if err != nil {
			return err
		}
		if got != p.SHA256 {
			return fmt.Errorf("its SHA-256 is %s, but %s is pinned: if the change is expected, pin what it is now", got, p.SHA256)
		}
		return unpackArchive(ctx, p.Archive, at, into)
	})
}

// fill unpacks the files of a pin unless the store already contains them, and checks their hash.
func (f Fetcher) fill(ctx context.Context, p Pin, unpack func(into *entryFiles, work string) error) (Pin, error) {
	err := f.Store.Fill(ctx, p.Key(), func(entry *replace.Staging, work string) error {
		return unpack(&entryFiles{entry: entry, made: map[string]bool{}}, work)
	})
	if err != nil {
		return Pin{}, ioError(ctx, p.Origin, err)
	}
	hash, err := hashTree(ctx, f.Store.Path(p.Key()))
	if err != nil {
		return Pin{}, ioError(ctx, p.Origin, err)
	}
	if p.Tree != "" && p.Tree != hash {
		return Pin{}, fault.Errorf(fault.Stale, "%s: the files in %s differ from the pinned files: remove the directory and fetch again; if that doesn't help, don't trust the source",
			p.Origin, f.Store.Path(p.Key()))
	}
	p.Tree = hash
	_, err = f.Store.Find(p.Key(), f.Now)
	return p, err
}

func ioError(ctx context.Context, s Origin, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fault.Errorf(fault.IO, "%s: %w", s, err)
}

// hashTree hashes the names and the contents of all files below a directory.
func hashTree(ctx context.Context, dir string) (string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var name string
			name, err = filepath.Rel(dir, at)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return dirhash.Hash1(names, func(name string) (io.ReadCloser, error) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		return os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	})
}

// Bounds for sources. Real documentation stays far below them.
const (
	maxDownload  = 2 << 30 // bytes of an archive or of the objects in a repository
	maxTree      = 4 << 30 // bytes of all files together
	maxFiles     = 1_000_000
	maxFile      = 64 << 20 // larger files are skipped, because pages cannot be that large
	maxDepth     = 100
	maxPathBytes = 4096
)

// entryFiles are written to the store in turn, within bounds.
type entryFiles struct {
	entry *replace.Staging
	made  map[string]bool // directories and files
	files int
	bytes int64
}

// write adds a file. It fails if the path leads out of the tree or is already taken.
func (e *entryFiles) write(name string, size int64, content io.Reader) error {
	if !isPlain(name) {
		return fmt.Errorf("it contains a file whose path %q leads elsewhere", name)
	}
	if e.files++; e.files > maxFiles {
		return fmt.Errorf("it contains more than %d files", maxFiles)
	}
	if e.bytes += size; e.bytes > maxTree {
		return fmt.Errorf("it contains more than %d bytes", int64(maxTree))
	}
	if err := e.makeDirs(path.Dir(name)); err != nil {
		return err
	}
	if e.made[name] {
		return fmt.Errorf("it contains %q twice", name)
	}
	e.made[name] = true
	return e.entry.StreamFile(filepath.FromSlash(name), func(out io.Writer) error {
		n, err := io.Copy(out, io.LimitReader(content, size+1))
		if err == nil && n != size {
			err = fmt.Errorf("%q doesn't contain the announced %d bytes", name, size)
		}
		return err
	})
}

func (e *entryFiles) makeDirs(dir string) error {
	if dir == "." || e.made[dir] {
		return nil
	}
	if err := e.makeDirs(path.Dir(dir)); err != nil {
		return err
	}
	e.made[dir] = true
	return e.entry.Mkdir(filepath.FromSlash(dir))
}

// isPlain reports whether a slash path stays below the directory it is joined to.
func isPlain(name string) bool {
	return fs.ValidPath(name) && name != "." && filepath.IsLocal(filepath.FromSlash(name)) &&
		len(name) <= maxPathBytes && strings.Count(name, "/") <= maxDepth && !strings.ContainsAny(name, "\x00\n")
}
