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
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/replace"
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

// Of returns what is pinned.
func (p Pin) Of() any { return p.Origin }

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

// String returns the origin for messages. It leaves out the query of a URL, which can contain a
// token.
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
	scpLike = lazy.Regexp(`^[A-Za-z0-9._][A-Za-z0-9._-]*@[A-Za-z0-9._][A-Za-z0-9._-]*:[^:-]`) // git@example.org:docs.git
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
	default:
		if !scpLike().MatchString(s.Git) {
			if err := checkURL(s.Git, "https", "http", "ssh", "git", "file"); err != nil {
				return err
			}
		}
		if err := checkAddress(s.Git); err != nil {
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
		return fmt.Errorf("the URL of %s contains a password: git finds it in its credential helper or in ~/.netrc, and an archive that needs one can be downloaded and named by its file:// URL", parsed.Host)
	}
	for _, scheme := range schemes {
		if parsed.Scheme == scheme && (parsed.Host != "" || scheme == "file") && parsed.Path != "" && !strings.HasPrefix(parsed.Host, "-") {
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

	// Warn receives what a new entry leaves out; nil ignores it.
	Warn func(text string)

	maxObjects int64         // bytes of a repository; 0 means maxDownload
	patience   time.Duration // 0 means patience
}

// Resolve pins the current version of a source and fetches it. For a repository, it asks the
// server for the commit of the ref; for an archive, it computes the SHA-256 of the download.
// It fails with [fault.IO].
func (f Fetcher) Resolve(ctx context.Context, s Origin) (Pin, error) {
	if s.Archive != "" {
		return f.resolveArchive(ctx, s)
	}
	return f.resolveGit(ctx, s)
}

// Fetch fetches the files of a pin unless the store already contains them, and returns the pin
// with the hash of its tree. It fails with [fault.IO] if the source can no longer be
// fetched, and with [fault.Stale] if the files differ from the pinned files.
func (f Fetcher) Fetch(ctx context.Context, p Pin) (Pin, error) {
	return f.fill(ctx, p, func(into *entryFiles, work string) error {
		if p.Archive == "" {
			if err := f.fetchCommit(ctx, p, work); err != nil {
				return err
			}
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
	into := &entryFiles{dir: p.Dir, made: map[string]treeKind{}, limit: maxTree}
	err := f.Store.Fill(ctx, p.Key(), func(entry *replace.Staging, work string) error {
		into.entry = entry
		return unpack(into, work)
	})
	entry, hash := f.Store.Path(p.Key()), ""
	if err == nil {
		hash, err = hashEntry(ctx, p, entry)
	}
	if err != nil {
		return Pin{}, ioError(ctx, p.Origin, err)
	}
	if p.Tree != "" && p.Tree != hash {
		return Pin{}, fault.Errorf(fault.Stale, "%s: the files in %s differ from the pinned files: remove the directory and fetch again; if that doesn't help, don't trust the source",
			p.Origin, entry)
	}
	p.Tree = hash
	for _, o := range into.leftOut {
		if f.Warn != nil {
			f.Warn(fmt.Sprintf("%s: %s", p.Origin, o))
		}
	}
	_, err = f.Store.Find(p.Key(), f.Now)
	return p, err
}

func ioError(ctx context.Context, s Origin, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fault.Errorf(fault.IO, "%s: %w", s, err)
}

// hashEntry hashes the names and the contents of all files in the entry of a pin. It fails if the
// entry of an archive lacks the directory of its source.
func hashEntry(ctx context.Context, p Pin, dir string) (string, error) {
	names, err := dirhash.DirFiles(dir, "")
	if err != nil {
		return "", err
	}
	if found, err := os.Stat(p.Pages(dir)); err != nil || !found.IsDir() {
		return "", missingDir(p.Dir, slices.Values(names))
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
	maxNameBytes = 255
	pathBytes    = 200 // on average
)

// Bytes that a file or a directory takes on a disk apart from its content: the rest of its last
// block, and its name with an inode. Small archives contain thousands of small files, so the first
// are free.
const (
	blockBytes = 4096
	nameBytes  = 512
	freeBytes  = 64 << 20
)

// entryFiles are written to the store in turn, within bounds.
type entryFiles struct {
	entry   *replace.Staging
	dir     string // only what is left out here is noted; "" means everywhere
	limit   int64  // of content, in bytes
	made    map[string]treeKind
	names   int64 // bytes of paths
	content int64 // bytes of all files
	padding int64 // bytes on the disk apart from content
	leftOut []omission
}

// leaveOut notes a file that the entry leaves out.
func (e *entryFiles) leaveOut(kind omissionKind, name string) {
	if e.dir != "" && !strings.HasPrefix(name, e.dir+"/") {
		return
	}
	i := slices.IndexFunc(e.leftOut, func(o omission) bool { return o.kind == kind })
	if i < 0 {
		i = len(e.leftOut)
		e.leftOut = append(e.leftOut, omission{kind: kind, first: name})
	}
	e.leftOut[i].files++
}

// write adds a file unless it is too large or not every system can store its path. It fails if
// the path leads out of the tree or is already taken.
func (e *entryFiles) write(name string, size int64, content io.Reader) error {
	switch {
	case !isPlain(name):
		return fmt.Errorf("it contains a file whose path %q leads elsewhere", name)
	case !isPortable(name):
		e.leaveOut(unportable, name)
		return nil
	case size > maxFile:
		e.leaveOut(tooLarge, name)
		return nil
	}
	if e.made[name] == isFile {
		return fmt.Errorf("it contains %q twice", name)
	}
	if err := e.makeDirs(path.Dir(name)); err != nil {
		return err
	}
	if err := e.take(name, isFile, size); err != nil {
		return err
	}
	err := e.entry.StreamFile(filepath.FromSlash(name), func(out io.Writer) error {
		n, err := io.Copy(out, io.LimitReader(content, size+1))
		if err == nil && n != size {
			err = fmt.Errorf("it doesn't contain the announced %d bytes", size)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("unpack %q: %w", name, fault.Cause(err))
	}
	return nil
}

// copy adds a copy of a file that was written before.
func (e *entryFiles) copy(name, file string) error {
	content, info, err := files.OpenAnywhere(filepath.Join(e.entry.Dir(), filepath.FromSlash(file)))
	if err != nil {
		return fmt.Errorf("read %q: %w", file, fault.Cause(err))
	}
	defer content.Close()
	return e.write(name, info.Size(), content)
}

func (e *entryFiles) makeDirs(dir string) error {
	if dir == "." || e.made[dir] == isDir {
		return nil
	}
	if err := e.makeDirs(path.Dir(dir)); err != nil {
		return err
	}
	const needsBlock = 1
	if err := e.take(dir, isDir, needsBlock); err != nil {
		return err
	}
	if err := e.entry.Mkdir(filepath.FromSlash(dir)); err != nil {
		return fmt.Errorf("unpack %q: %w", dir, fault.Cause(err))
	}
	return nil
}

// take counts a file or a directory. It fails if the path is taken, or if the entry becomes too
// large.
func (e *entryFiles) take(name string, kind treeKind, size int64) error {
	if e.made[name] != nothing {
		return fmt.Errorf("it contains %q both as a file and as a directory", name)
	}
	e.made[name] = kind
	e.names += int64(len(name))
	e.content += size
	e.padding += blockBytes - 1 - (size+blockBytes-1)%blockBytes + nameBytes
	switch {
	case len(e.made) > maxFiles:
		return fmt.Errorf("it contains more than %d files", maxFiles)
	case e.names > maxFiles*pathBytes:
		return fmt.Errorf("the paths of its files take more than %d bytes", maxFiles*pathBytes)
	case e.content > e.limit:
		return fmt.Errorf("it expands to more than %d bytes", e.limit)
	case e.padding > e.limit+freeBytes:
		return fmt.Errorf("its %d files and directories are too many for its size", len(e.made))
	}
	return nil
}

// isPlain reports whether a slash path stays below the directory it is joined to.
func isPlain(name string) bool {
	return name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

// isPortable reports whether file systems and lists of files can store a slash path.
func isPortable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsAny(name, "\x00\n") && len(name) <= maxPathBytes && strings.Count(name, "/") <= maxDepth &&
		!slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return len(part) > maxNameBytes })
}
