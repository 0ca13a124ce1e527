package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextcompiler/context/internal/lazy"
)

// remote is the name of the source in the repository of a fetch.
const remote = "source"

// maxChatter bounds the output of commands with short answers, in bytes.
const maxChatter = 1 << 20

var fullCommit = lazy.Regexp(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// git returns a git command for the bare repository in dir, or for none if dir is "". The user's
// configuration applies because it names credentials and mirrors. Hooks don't run, and
// transports that run other programs are refused.
func (f Fetcher) git(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{
		"-c", "core.hooksPath=" + filepath.Join(dir, "no-hooks"),
		"-c", "protocol.ext.allow=never",
		"-c", "gc.auto=0",
		"-c", "maintenance.auto=false",
		"-c", "fetch.unpackLimit=1", // objects come as a pack, and git reports its progress
	}, args)...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(f.Environ, []string{"GIT_ALLOW_PROTOCOL=https:http:ssh:git:file", "LC_ALL=C"})
	for _, variable := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"} {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, variable+"=") })
	}
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs a git command and returns its output. It fails if the output exceeds limit bytes.
func (f Fetcher) run(ctx context.Context, dir string, limit int64, args ...string) ([]byte, error) {
	cmd := f.git(ctx, dir, args...)
	var complaint tail
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, gitError(err, &complaint)
	}
	text, err := io.ReadAll(io.LimitReader(out, limit+1))
	if int64(len(text)) > limit {
		err = fmt.Errorf("git %s printed more than %d bytes", args[0], limit)
		_ = cmd.Cancel()
	}
	if waited := gitError(cmd.Wait(), &complaint); err == nil {
		err = waited
	}
	return text, err
}

// gitError says what git complained about.
func gitError(err error, complaint *tail) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed")
	case complaint.String() != "":
		return fmt.Errorf("git: %s", complaint)
	}
	return fmt.Errorf("git: %w", err)
}

// A tail keeps the end of a program's output, which usually says why the program failed.
type tail struct{ text []byte }

const maxComplaint = 500

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if extra := len(t.text) - 8*maxComplaint; extra > 0 {
		t.text = t.text[extra:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(t.text), "?"), func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range slices.Backward(lines) {
		if fatal, ok := strings.CutPrefix(line, "fatal: "); ok {
			return fatal[:min(len(fatal), maxComplaint)]
		}
	}
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	return last[:min(len(last), maxComplaint)]
}

// commitOf asks the repository for the commit of a ref. Like git, it prefers a tag to a branch of
// the same name.
func (f Fetcher) commitOf(ctx context.Context, s Origin) (string, error) {
	if fullCommit().MatchString(s.Ref) {
		return s.Ref, nil
	}
	names := []string{"HEAD"}
	if s.Ref != "" {
		names = []string{"refs/tags/" + s.Ref + "^{}", "refs/tags/" + s.Ref, "refs/heads/" + s.Ref}
	}
	text, err := f.run(ctx, "", maxChatter, slices.Concat([]string{"ls-remote", "--", s.Git}, names)...)
	if err != nil {
		return "", err
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
	return "", fmt.Errorf("the repository has no branch or tag %q: give its name or a full commit", s.Ref)
}

// unpackCommit fetches a commit without its history and writes its files. It reads the blobs
// instead of checking them out, because a checkout depends on the user's configuration and
// can run programs.
func (f Fetcher) unpackCommit(ctx context.Context, p Pin, into *entryFiles, work string) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--bare", "--template="},
		{"config", "remote." + remote + ".url", p.Git},
		{"config", "remote." + remote + ".promisor", "true"},
		{"config", "core.repositoryFormatVersion", "1"},
		{"config", "extensions.partialClone", remote},
	} {
		if _, err := f.run(ctx, work, maxChatter, args...); err != nil {
			return err
		}
	}
	if err := f.fetchCommit(ctx, p, work); err != nil {
		return err
	}
	blobs, err := f.listBlobs(ctx, p, work)
	if err != nil {
		return err
	}
	if len(blobs) == 0 && p.Dir != "" {
		return fmt.Errorf("commit %s doesn't contain files in %s", p.Commit, p.Dir)
	}
	if p.Dir != "" {
		if err := f.fetchBlobs(ctx, blobs, work); err != nil {
			return err
		}
	}
	return f.writeBlobs(ctx, blobs, into, work)
}

// fetchCommit fetches the commit by its hash. If the server refuses, it asks for the ref instead,
// which may have moved in the meantime. With a directory, it leaves the files to fetchBlobs.
func (f Fetcher) fetchCommit(ctx context.Context, p Pin, work string) error {
	fetch := []string{"fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules"}
	if p.Dir != "" {
		fetch = append(fetch, "--filter=blob:none")
	}
	fetch = append(fetch, remote)
	err := f.download(ctx, work, nil, append(fetch, p.Commit)...)
	if err == nil || errors.Is(err, errLargeRepository) || context.Cause(ctx) != nil {
		return err
	}
	ref := cmp.Or(p.Ref, "HEAD")
	if fullCommit().MatchString(ref) {
		return err
	}
	if err := f.download(ctx, work, nil, append(fetch, ref)...); err != nil {
		return err
	}
	if _, err := f.run(ctx, work, maxChatter, "cat-file", "-e", p.Commit+"^{commit}"); err != nil {
		return fmt.Errorf("the repository no longer offers commit %s, and %s has moved: run `context fetch --update`", p.Commit, ref)
	}
	return nil
}

// errLargeRepository means that a repository contains too much.
var errLargeRepository = errors.New("git downloads too many bytes")

// download runs a git command that downloads objects. It stops git when they take too many bytes.
func (f Fetcher) download(ctx context.Context, work string, input io.Reader, args ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := f.git(ctx, work, args...)
	size := &sizeGuard{dir: filepath.Join(work, "objects"), limit: cmp.Or(f.maxObjects, maxDownload), stop: stop}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, size, size
	err := cmd.Run()
	size.check()
	if size.err != nil {
		return size.err
	}
	return gitError(err, &size.complaint)
}

// A sizeGuard receives the messages of git, among them its progress, which git reports about
// once a second while it downloads. After each message, it measures the objects.
type sizeGuard struct {
	dir       string
	limit     int64
	stop      func()
	complaint tail
	err       error
}

func (g *sizeGuard) Write(p []byte) (int, error) {
	g.check()
	return g.complaint.Write(p)
}

func (g *sizeGuard) check() {
	if g.err != nil {
		return
	}
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
	if total > g.limit {
		g.err = fmt.Errorf("%w: more than %d; choose a directory with dir, or an archive", errLargeRepository, g.limit)
		g.stop()
	}
}

// A blob is a file of a commit.
type blob struct{ hash, name string }

// listBlobs lists the regular files of a commit in the directory of its source. Symlinks and
// submodules are left out.
func (f Fetcher) listBlobs(ctx context.Context, p Pin, work string) (blobs []blob, err error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", p.Commit}
	if p.Dir != "" {
		args = append(args, "--", p.Dir+"/")
	}
	const pathBytes = 200
	text, err := f.run(ctx, work, maxFiles*pathBytes, args...)
	if err != nil {
		return nil, err
	}
	for record := range strings.SplitSeq(string(text), "\x00") {
		about, name, _ := strings.Cut(record, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && strings.HasPrefix(fields[0], "100") { // mode, type and hash
			blobs = append(blobs, blob{fields[2], name})
		}
	}
	return blobs, nil
}

// fetchBlobs fetches the missing files in a single request. It can ask for all files, because git
// skips those it has.
func (f Fetcher) fetchBlobs(ctx context.Context, blobs []blob, work string) error {
	return f.download(ctx, work, hashesOf(blobs), "-c", "fetch.negotiationAlgorithm=noop", "fetch", "--progress", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--filter=blob:none", "--stdin", remote)
}

func hashesOf(blobs []blob) *bytes.Buffer {
	var hashes bytes.Buffer
	for _, b := range blobs {
		hashes.WriteString(b.hash + "\n")
	}
	return &hashes
}

// writeBlobs writes the contents of blobs to a tree.
func (f Fetcher) writeBlobs(ctx context.Context, blobs []blob, into *entryFiles, work string) (err error) {
	cmd := f.git(ctx, work, "cat-file", "--batch", "--buffer")
	var complaint tail
	cmd.Stderr = &complaint
	cmd.Stdin = hashesOf(blobs)
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return gitError(err, &complaint)
	}
	defer func() {
		if err != nil {
			_ = cmd.Cancel()
		}
		if waited := gitError(cmd.Wait(), &complaint); err == nil {
			err = waited
		}
	}()
	out := bufio.NewReaderSize(pipe, 64<<10)
	for _, b := range blobs {
		if err := writeBlob(b, into, out); err != nil {
			return err
		}
	}
	return nil
}

// writeBlob writes the next blob in the output of git cat-file unless it is too large.
func writeBlob(b blob, into *entryFiles, out *bufio.Reader) error {
	header, err := out.ReadString('\n')
	if err != nil {
		return err
	}
	var size int64
	if _, err := fmt.Sscanf(header, b.hash+" blob %d\n", &size); err != nil {
		return fmt.Errorf("git cat-file printed %q for %s", header, b.name)
	}
	content := io.LimitReader(out, size)
	if size <= maxFile {
		if err := into.write(b.name, size, content); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, content); err != nil {
		return err
	}
	_, err = out.Discard(1) // the newline after it
	return err
}
