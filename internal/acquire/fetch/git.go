package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/contextcompiler/context/internal/acquire/process"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/words"
)

// remote is the name of the source in the repository of a fetch. In the configuration of the user,
// remotes with usual names can have settings.
const remote = "fetched-by-context"

// maxChatter bounds the output of commands with short answers, in bytes.
const maxChatter = 1 << 20

var fullCommit = lazy.Regexp(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// notOurs are variables about a repository, which git sets for hooks and aliases, and which people
// leave in their environment. All others reach git, because they tell it how to reach servers, or
// tell a credential helper what to say.
var notOurs = lazy.Regexp(`^(?i:GIT_(?:DIR|WORK_TREE|IMPLICIT_WORK_TREE|COMMON_DIR|CONFIG|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|` +
	`ALTERNATE_OBJECT_DIRECTORIES|GRAFT_FILE|SHALLOW_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|REF_PARANOIA|PREFIX|NAMESPACE|QUARANTINE_PATH|` +
	`ATTR_SOURCE|TEMPLATE_DIR|DEFAULT_HASH|DEFAULT_REF_FORMAT|(?:ICASE|GLOB|NOGLOB|LITERAL)_PATHSPECS|INTERNAL_.*|TEST_.*))=`)

// git returns a git command for the bare repository in dir, which may not exist yet. It runs there
// and looks for no other repository, because the configuration of a repository can name programs
// to run, and the working directory may be a repository that somebody else made.
//
// The configuration of the user and of the system applies because it names credentials and mirrors.
// Hooks don't run, and the command reaches no server.
func (f Fetcher) git(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{
		"-c", "core.hooksPath=" + filepath.Join(dir, "no-hooks"),
		"-c", "gc.auto=0",
		"-c", "maintenance.auto=false",
		"-c", "fetch.unpackLimit=1", // objects come as a pack, and git reports its progress
	}, args)...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(slices.Clone(f.Environ), notOurs().MatchString)
	cmd.Env = append(cmd.Env, "GIT_DIR="+dir, "GIT_DEFAULT_HASH=sha1", "GIT_DEFAULT_REF_FORMAT=files", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C", allowProtocol)
	cmd.WaitDelay = time.Second // for programs that keep the pipes open
	if terminal, err := os.Open("/dev/tty"); err == nil {
		// No other group can ask for passwords on a terminal, and Ctrl-C reaches all programs anyway.
		terminal.Close()
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	} else {
		process.Isolate(cmd, syscall.SIGTERM)
	}
	return cmd
}

// allowProtocol with nothing after it also keeps git from fetching objects that it lacks.
const allowProtocol = "GIT_ALLOW_PROTOCOL="

// online lets a git command reach servers. Transports that run other programs are refused, unless
// the user's environment allows them.
func (f Fetcher) online(cmd *exec.Cmd) *exec.Cmd {
	protocols := allowProtocol + "https:http:ssh:git:file"
	for _, v := range f.Environ {
		if strings.HasPrefix(v, allowProtocol) {
			protocols = v
		}
	}
	cmd.Env = append(cmd.Env, protocols)
	return cmd
}

// run runs a git command and returns its output. It fails if the output exceeds limit bytes.
func run(cmd *exec.Cmd, limit int64) (text []byte, err error) {
	err = stream(cmd, func(out io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(out, limit+1))
		if int64(len(text)) > limit {
			err = fmt.Errorf("git printed more than %d bytes", limit)
		}
		return err
	})
	return text, err
}

// stream runs a git command and passes its output to read. If read fails, it ends the command.
func stream(cmd *exec.Cmd, read func(out io.Reader) error) error {
	var complaint process.Tail
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return gitError(err, &complaint)
	}
	failed := read(out)
	if failed != nil {
		_ = cmd.Cancel()
	}
	return cmp.Or(failed, gitError(cmd.Wait(), &complaint))
}

// gitError says what git complained about.
func gitError(err error, complaint *process.Tail) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed, or not on the PATH")
	}
	if reason := reasonIn(complaint); reason != "" {
		return fmt.Errorf("git: %s", reason)
	}
	return fmt.Errorf("git: %w", err)
}

var (
	escapeSequence = lazy.Regexp(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)`)
	credentials    = lazy.Regexp(`://[^/@\s]*@`)

	// chatter matches lines that don't explain a failure: progress, and git's general advice.
	chatter = lazy.Regexp(`^(?:(?:remote: *)?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Total|Connectivity|Checking) .*|` +
		`From .*|hint: .*|Cloning into .*|warning: Permanently added .*|Warning: Permanently added .*|` +
		`Please make sure you have the correct access rights|and the repository exists\.|remote:|@+)$`)
)

const maxComplaint = 500 // bytes

// reasonIn returns the last lines with reasons as a single line. Git and ssh print the reason
// before "fatal: ...", which can be general.
func reasonIn(complaint *process.Tail) string {
	return complaint.Lines(maxComplaint, "; ", func(line string) string {
		line = credentials().ReplaceAllString(escapeSequence().ReplaceAllString(line, ""), "://")
		line = strings.TrimSpace(words.Printable(strings.TrimSpace(line)))
		line = strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
		if chatter().MatchString(line) {
			return ""
		}
		return line
	})
}

// resolveGit asks the repository for the commit of a ref, and fetches it.
func (f Fetcher) resolveGit(ctx context.Context, s Origin) (pin Pin, err error) {
	hash := strings.ToLower(s.Ref)
	if !fullCommit().MatchString(hash) {
		err = f.workOn(ctx, s.Git, func(work string) error {
			pin.Commit, err = f.commitOf(ctx, s, work)
			return err
		})
		if err != nil {
			return Pin{}, ioError(ctx, s, err)
		}
		return f.Fetch(ctx, Pin{Origin: s, Commit: pin.Commit})
	}
	pin = Pin{Origin: s, Commit: hash}
	if found, err := f.Store.Find(pin.Key(), f.Now); err != nil || found != "" {
		return f.Fetch(ctx, pin)
	}
	// The hash can be that of a tag, so only the repository can tell the commit.
	err = f.workOn(ctx, s.Git, func(work string) error {
		if err := f.fetchCommit(ctx, pin, work); err != nil {
			return ioError(ctx, s, err)
		}
		if pin.Commit, err = f.peel(ctx, pin.Commit, work); err != nil {
			return ioError(ctx, s, err)
		}
		pin, err = f.fill(ctx, pin, func(into *entryFiles, _ string) error {
			return f.unpackCommit(ctx, pin, into, work)
		})
		return err
	})
	return pin, err
}

// workOn calls do with an empty directory. Processes that work on the same URL take turns.
func (f Fetcher) workOn(ctx context.Context, url string, do func(work string) error) error {
	sum := sha256.Sum256([]byte(url))
	return f.Store.Work(ctx, store.EntryKey("url-"+hex.EncodeToString(sum[:])), do)
}

// commitOf asks the repository for the commit of a ref. Like git, it prefers a tag to a branch of
// the same name.
func (f Fetcher) commitOf(ctx context.Context, s Origin, work string) (string, error) {
	names := []string{cmp.Or(s.Ref, "HEAD")}
	switch {
	case strings.HasPrefix(s.Ref, "refs/"):
		names = []string{s.Ref + "^{}", s.Ref}
	case s.Ref != "" && s.Ref != "HEAD":
		for _, kind := range []string{"refs/tags/", "refs/heads/", "refs/"} {
			names = append(names, kind+s.Ref+"^{}", kind+s.Ref)
		}
	}
	ctx, p := f.keepPace(ctx)
	defer p.stop()
	text, err := run(f.online(f.git(ctx, work, slices.Concat([]string{"ls-remote", "--", s.Git}, names)...)), maxChatter)
	if err != nil {
		return "", p.reason(err)
	}
	commits := map[string]string{}
	for line := range strings.Lines(string(text)) {
		commit, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if fullCommit().MatchString(commit) {
			commits[name] = commit
		}
	}
	for _, name := range names {
		if commit, ok := commits[name]; ok {
			return commit, nil
		}
	}
	if names[0] == "HEAD" {
		return "", errors.New("the repository has no default branch: give a ref, such as a branch or a tag")
	}
	return "", fmt.Errorf("the repository has no branch or tag %q: give its name or a full commit", s.Ref)
}

// peel returns the commit of a fetched object, which can be a tag, or a tag of a tag.
func (f Fetcher) peel(ctx context.Context, object, work string) (string, error) {
	text, err := run(f.git(ctx, work, "rev-parse", "--verify", "--quiet", object+"^{commit}"), maxChatter)
	if err != nil {
		return "", fmt.Errorf("%s is not a commit", object)
	}
	return strings.TrimSpace(string(text)), nil
}

// fetchCommit makes a repository and fetches a commit without its history, by its hash. If the
// server refuses, it asks for the ref instead, which may have moved in the meantime. With a
// directory, it leaves the files to fetchBlobs.
func (f Fetcher) fetchCommit(ctx context.Context, p Pin, work string) error {
	format := []string{"init", "--quiet", "--bare", "--template="}
	if len(p.Commit) == hex.EncodedLen(sha256.Size) {
		format = append(format, "--object-format=sha256")
	}
	for _, args := range [][]string{
		format,
		{"config", "remote." + remote + ".url", p.Git},
		{"config", "remote." + remote + ".promisor", "true"},
		{"config", "core.repositoryFormatVersion", "1"},
		{"config", "extensions.partialClone", remote},
	} {
		if _, err := run(f.git(ctx, work, args...), maxChatter); err != nil {
			return err
		}
	}
	fetch := []string{"fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules"}
	if p.Dir != "" {
		fetch = append(fetch, "--filter=blob:none")
	}
	fetch = append(fetch, remote)
	err := f.download(ctx, work, nil, append(fetch, p.Commit)...)
	if err == nil || errors.Is(err, errLargeRepository) || errors.Is(err, errSlow) || context.Cause(ctx) != nil {
		return err
	}
	ref := cmp.Or(p.Ref, "HEAD")
	if fullCommit().MatchString(strings.ToLower(ref)) {
		return err
	}
	if err := f.download(ctx, work, nil, append(fetch, "+"+ref)...); err != nil { // "tag" alone is a keyword
		return err
	}
	if _, err := f.peel(ctx, p.Commit, work); err != nil {
		return fmt.Errorf("the repository no longer offers commit %s, and %s has moved: run `context fetch --update`", p.Commit, ref)
	}
	return nil
}

// unpackCommit writes the files of a fetched commit in the directory of its source. It reads the
// blobs instead of checking them out, because a checkout depends on the user's configuration and
// can run programs.
func (f Fetcher) unpackCommit(ctx context.Context, p Pin, into *entryFiles, work string) error {
	if commit, err := f.peel(ctx, p.Commit, work); err != nil || commit != p.Commit {
		return cmp.Or(err, fmt.Errorf("%s is a tag of the commit %s: run `context fetch --update`", p.Commit, commit))
	}
	tree, err := f.listTree(ctx, p.Commit, work)
	if err != nil {
		return err
	}
	isWanted := func(e treeEntry) bool { return p.Dir == "" || strings.HasPrefix(e.name, p.Dir+"/") }
	var files, links []treeEntry
	hashes := map[string]string{} // of all files, by path
	for _, e := range tree {
		switch e.mode {
		case symlinkMode:
			links = append(links, e)
		case submoduleMode:
			into.leaveOut(submodule, e.name)
		default:
			if hashes[e.name] = e.hash; isWanted(e) {
				files = append(files, e)
			}
		}
	}
	if slices.ContainsFunc(links, isWanted) {
		linked, err := f.followLinks(ctx, p, links, hashes, into, work)
		if err != nil {
			return err
		}
		files = append(files, slices.DeleteFunc(linked, func(e treeEntry) bool { return !isWanted(e) })...)
	}
	if len(files) == 0 && p.Dir != "" {
		return missingDir(p.Dir, maps.Keys(hashes))
	}
	if p.Dir != "" {
		if err := f.fetchBlobs(ctx, files, work); err != nil {
			return err
		}
	}
	return f.readBlobs(ctx, files, work, func(e treeEntry, size int64, content io.Reader) error {
		return into.write(e.name, size, content)
	})
}

// errLargeRepository means that a repository contains too much.
var errLargeRepository = errors.New("git downloads too many bytes")

// download runs a git command that downloads objects. It stops git when they take too many bytes,
// or when too few of them arrive.
func (f Fetcher) download(ctx context.Context, work string, input io.Reader, args ...string) error {
	ctx, p := f.keepPace(ctx)
	defer p.stop()
	cmd := f.online(f.git(ctx, work, args...))
	guard := &objectGuard{dir: filepath.Join(work, "objects"), limit: cmp.Or(f.maxObjects, maxDownload), pace: p}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, guard, guard
	err := cmd.Run()
	guard.check()
	return p.reason(gitError(err, &guard.complaint))
}

// An objectGuard receives the messages of git, among them its progress, which git reports about
// once a second while it downloads. After each message, it measures the objects.
type objectGuard struct {
	dir       string
	limit     int64
	total     int64 // so far
	pace      *pace
	complaint process.Tail
}

func (g *objectGuard) Write(p []byte) (int, error) {
	g.check()
	if bytes.Contains(p, []byte("Resolving deltas")) { // needs no server
		g.pace.bytes.Add(minBytes)
	}
	return g.complaint.Write(p)
}

func (g *objectGuard) check() {
	total := int64(0)
	_ = filepath.WalkDir(g.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // git renames files at the same time
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	g.pace.bytes.Add(total - g.total)
	g.total = total
	if total > g.limit {
		g.pace.cancel(fmt.Errorf("%w: more than %d; choose a directory with dir, or an archive", errLargeRepository, g.limit))
	}
}

// A treeEntry is a file, a symlink or a submodule of a commit.
type treeEntry struct{ mode, hash, name string }

const (
	symlinkMode   = "120000"
	submoduleMode = "160000"
)

// listTree lists the entries of a commit.
func (f Fetcher) listTree(ctx context.Context, commit, work string) (all []treeEntry, err error) {
	text, err := run(f.git(ctx, work, "ls-tree", "-r", "-z", "--full-tree", commit), maxFiles*pathBytes)
	if err != nil {
		return nil, err
	}
	for record := range strings.SplitSeq(string(text), "\x00") {
		about, name, _ := strings.Cut(record, "\t")
		if fields := strings.Fields(about); len(fields) == 3 { // mode, type and hash
			all = append(all, treeEntry{fields[0], fields[2], name})
		}
	}
	return all, nil
}

// followLinks returns a file for each symlink of a commit that leads to a file of it. A symlink can
// lead to another, and out of the directory of the source.
func (f Fetcher) followLinks(ctx context.Context, p Pin, links []treeEntry, hashes map[string]string, into *entryFiles, work string) (linked []treeEntry, err error) {
	if p.Dir != "" {
		if err := f.fetchBlobs(ctx, links, work); err != nil {
			return nil, err
		}
	}
	tree := linkTree{map[string]string{}, kindsOf(maps.Keys(hashes)), map[string]linkEnd{}}
	err = f.readBlobs(ctx, links, work, func(e treeEntry, size int64, content io.Reader) (err error) {
		tree.links[e.name], err = readTarget(size, content)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		file, why := tree.follow(link.name)
		if why != (omissionKind{}) {
			into.leaveOut(why, link.name)
			continue
		}
		linked = append(linked, treeEntry{hash: hashes[file], name: link.name})
	}
	return linked, nil
}

// fetchBlobs fetches the missing files in a single request. It can ask for all files, because git
// skips those it has.
func (f Fetcher) fetchBlobs(ctx context.Context, blobs []treeEntry, work string) error {
	return f.download(ctx, work, hashesOf(blobs), "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--progress", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--filter=blob:none", "--stdin", remote)
}

func hashesOf(blobs []treeEntry) *bytes.Buffer {
	var hashes bytes.Buffer
	for _, b := range blobs {
		hashes.WriteString(b.hash + "\n")
	}
	return &hashes
}

// readBlobs calls use for each blob in turn.
func (f Fetcher) readBlobs(ctx context.Context, blobs []treeEntry, work string, use func(e treeEntry, size int64, content io.Reader) error) error {
	cmd := f.git(ctx, work, "cat-file", "--batch", "--buffer")
	cmd.Stdin = hashesOf(blobs)
	return stream(cmd, func(pipe io.Reader) error {
		out := bufio.NewReaderSize(pipe, 64<<10)
		for _, b := range blobs {
			if err := readBlob(b, out, use); err != nil {
				return err
			}
		}
		return nil
	})
}

// readBlob reads the next blob in the output of git cat-file.
func readBlob(b treeEntry, out *bufio.Reader, use func(e treeEntry, size int64, content io.Reader) error) error {
	header, err := out.ReadString('\n')
	if err != nil {
		return err
	}
	var size int64
	if _, err := fmt.Sscanf(header, b.hash+" blob %d\n", &size); err != nil {
		return fmt.Errorf("git cat-file printed %q for %s", header, b.name)
	}
	content := io.LimitReader(out, size)
	if err := use(b, size, content); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	_, err = out.Discard(1) // the newline after it
	return err
}
