package targets

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/opencontainers/go-digest"
	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/selection"
)

// LockedVersions lists the exact versions of what a Contextfile takes from elsewhere.
type LockedVersions struct {
	Sources []fetch.Pin
	Caches  []CachePin
}

// A CachePin is the exact version of a cache that a target takes from elsewhere.
type CachePin struct {
	From      string // reference, as the Contextfile spells it
	Digest    digest.Digest
	Version   document.Version
	Selection selection.Spec
}

// Find returns the pin for a source.
func (l LockedVersions) Find(source fetch.Origin) (pin fetch.Pin, isPinned bool) {
	i := slices.IndexFunc(l.Sources, func(p fetch.Pin) bool { return p.Origin == source })
	if i < 0 {
		return fetch.Pin{Origin: source}, false
	}
	return l.Sources[i], true
}

// FindCache returns the pin for a cache.
func (l LockedVersions) FindCache(from string) (pin CachePin, isPinned bool) {
	i := slices.IndexFunc(l.Caches, func(p CachePin) bool { return p.From == from })
	if i < 0 {
		return CachePin{From: from}, false
	}
	return l.Caches[i], true
}

// ReadLock reads the lock file at a path. A missing file locks nothing. It fails as [Read] does.
func ReadLock(path string) (l LockedVersions, err error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return LockedVersions{}, nil
	}
	if err != nil {
		return LockedVersions{}, err
	}
	r := &nodeReader{path: path, dir: filepath.Dir(path), left: maxNodes}
	root, err := r.parseYAML(text)
	if err == nil {
		err = r.mapping(map[string]use{
			"version": r.version,
			"sources": r.list(func(node *yaml.Node) error {
				pin, err := r.pin(node)
				if _, isPinned := l.Find(pin.Origin); err == nil && isPinned {
					err = r.errorf(node, "duplicate source %s", pin.Origin)
				}
				l.Sources = append(l.Sources, pin)
				return err
			}),
			"caches": r.list(func(node *yaml.Node) error {
				pin, err := r.cachePin(node)
				if _, isPinned := l.FindCache(pin.From); err == nil && isPinned {
					err = r.errorf(node, "duplicate cache %s", pin.From)
				}
				l.Caches = append(l.Caches, pin)
				return err
			}),
		}, "version")(root)
	}
	if err != nil {
		return LockedVersions{}, fault.Errorf(fault.ContextInvalid, "%w; restore the file from version control, or remove it and fetch again", err)
	}
	return l, nil
}

var (
	commitForm = lazy.Regexp(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	digestForm = lazy.Regexp(`^[0-9a-f]{64}$`)
	treeForm   = lazy.Regexp(`^h1:[A-Za-z0-9+/]{43}=$`)
)

// pin reads a pinned source.
func (r *nodeReader) pin(node *yaml.Node) (p fetch.Pin, err error) {
	err = r.mapping(map[string]use{
		"git":     r.text(&p.Git),
		"archive": r.text(&p.Archive),
		"ref":     r.text(&p.Ref),
		"dir":     r.text(&p.Dir),
		"commit":  r.formed(&p.Commit, commitForm, "a commit"),
		"sha256":  r.formed(&p.SHA256, digestForm, "a SHA-256"),
		"tree":    r.formed(&p.Tree, treeForm, "the hash of a tree"),
	}, "tree")(node)
	if err != nil {
		return p, err
	}
	if err := p.Check(); err != nil {
		return p, r.errorf(node, "%w", err)
	}
	if (p.Git == "") != (p.Commit == "") || (p.Archive == "") != (p.SHA256 == "") {
		return p, r.errorf(node, "a repository is pinned by its commit, and an archive by its sha256")
	}
	return p, nil
}

func (r *nodeReader) cachePin(node *yaml.Node) (p CachePin, err error) {
	err = r.mapping(map[string]use{
		"from": r.text(&p.From),
		"digest": func(node *yaml.Node) error {
			err := r.text((*string)(&p.Digest))(node)
			if err == nil && (p.Digest.Validate() != nil || p.Digest.Algorithm() != digest.SHA256) {
				err = r.wrong(node, "expected a digest such as sha256:0123..., got %q", string(p.Digest))
			}
			return err
		},
		"cache_version": func(node *yaml.Node) error {
			var text string
			err := r.text(&text)(node)
			if err == nil {
				if p.Version, err = document.ParseVersion(text); err != nil {
					err = r.wrong(node, "%w", err)
				}
			}
			return err
		},
		"selection": r.selection(&p.Selection),
	}, "from", "digest", "cache_version", "selection")(node)
	return p, err
}

// formed keeps a text of a form.
func (r *nodeReader) formed(keep *string, form func() *regexp.Regexp, noun string) use {
	return func(node *yaml.Node) error {
		err := r.text(keep)(node)
		if err == nil && !form().MatchString(*keep) {
			err = r.wrong(node, "expected %s, got %q", noun, *keep)
		}
		return err
	}
}

// Print returns the text of a lock file, with the pins sorted.
func (l LockedVersions) Print() []byte {
	var out bytes.Buffer
	out.WriteString("# The exact versions of fetched sources and caches. Keep this file in version control.\nversion: 1\n")
	printSources(&out, l.Sources)
	printCaches(&out, l.Caches)
	return out.Bytes()
}

func printCaches(out *bytes.Buffer, pins []CachePin) {
	if len(pins) == 0 {
		return
	}
	out.WriteString("caches:\n")
	for _, p := range slices.SortedFunc(slices.Values(pins), func(a, b CachePin) int { return cmp.Compare(a.From, b.From) }) {
		fmt.Fprintf(out, "  - from: %s\n    digest: %s\n    cache_version: %s\n    selection: %s\n", scalar(p.From), p.Digest, p.Version, p.Selection)
	}
}

func printSources(out *bytes.Buffer, pins []fetch.Pin) {
	if len(pins) == 0 {
		return
	}
	out.WriteString("sources:\n")
	pins = slices.Clone(pins)
	slices.SortFunc(pins, func(a, b fetch.Pin) int {
		return cmp.Or(cmp.Compare(a.Git, b.Git), cmp.Compare(a.Archive, b.Archive), cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Dir, b.Dir))
	})
	for _, p := range pins {
		lead := "  - "
		for _, field := range []struct{ key, value string }{
			{"git", p.Git},
			{"archive", p.Archive},
			{"ref", p.Ref},
			{"dir", p.Dir},
			{"commit", p.Commit},
			{"sha256", p.SHA256},
			{"tree", p.Tree},
		} {
			if field.value != "" {
				fmt.Fprintf(out, "%s%s: %s\n", lead, field.key, scalar(field.value))
				lead = "    "
			}
		}
	}
}

// readFile reads a Contextfile or a lock file.
func readFile(path string) ([]byte, error) {
	file, info, err := files.OpenAnywhere(path)
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	defer file.Close()
	if info.Size() > maxSize {
		return nil, fault.Errorf(fault.ContextInvalid, "%s is larger than %d bytes", path, maxSize)
	}
	text, err := files.Read(file, nil, info.Size())
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	return text, nil
}
