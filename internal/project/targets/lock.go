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
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/selection"
)

// LockedVersions lists the exact versions of what a Contextfile takes from elsewhere.
type LockedVersions []Pinned

// A Pinned is the exact version of a source or a cache: a [fetch.Pin] or a [CachePin].
type Pinned interface {
	Of() any             // a [fetch.Origin], or the reference of a cache
	Key() store.EntryKey // of the entry with its files
	String() string      // commit or digest
}

// A CachePin is the exact version of a cache that a target takes from elsewhere.
type CachePin struct {
	From      string // reference, as the Contextfile spells it
	Digest    digest.Digest
	Version   document.Version
	Selection selection.Spec
}

// Of implements [Pinned].
func (p CachePin) Of() any { return p.From }

// Key implements [Pinned].
func (p CachePin) Key() store.EntryKey { return registry.Key(p.Digest) }

func (p CachePin) String() string { return p.Digest.String() }

// Find returns the pin for a source or a cache, or nil.
func (l LockedVersions) Find(of any) Pinned {
	for _, p := range l {
		if p.Of() == of {
			return p
		}
	}
	return nil
}

// pinOf returns a pin of the lock file at a path. It fails with [ErrNotFetched] if there is none.
func pinOf[Pin Pinned](path string, of any) (pin Pin, err error) {
	l, err := ReadLock(path)
	if err != nil {
		return pin, err
	}
	pin, isPinned := l.Find(of).(Pin)
	if !isPinned {
		err = fault.Errorf(fault.Stale, "%s %w: %s does not list it", of, ErrNotFetched, path)
	}
	return pin, err
}

// RemotesOf returns what targets take from elsewhere, without duplicates: a [fetch.Origin] for each
// source, and then the references of caches.
func RemotesOf(all []Target) (remotes []any) {
	add := func(remote any) {
		if !slices.Contains(remotes, remote) {
			remotes = append(remotes, remote)
		}
	}
	for _, t := range all {
		for _, s := range t.Remote {
			add(s)
		}
	}
	for _, t := range all {
		if t.Shared != nil {
			add(t.Shared.From)
		}
	}
	return remotes
}

// ReadLock reads the lock file at a path. A missing file locks nothing. It fails as [Read] does.
func ReadLock(path string) (l LockedVersions, err error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &nodeReader{path: path, dir: filepath.Dir(path), left: maxNodes}
	keep := func(node *yaml.Node, pin Pinned, noun string) error {
		if l.Find(pin.Of()) != nil {
			return r.errorf(node, "duplicate %s %s", noun, pin.Of())
		}
		l = append(l, pin)
		return nil
	}
	root, err := r.parseYAML(text)
	if err == nil {
		err = r.mapping(map[string]use{
			"version": r.version,
			"sources": r.list(func(node *yaml.Node) error {
				pin, err := readPin(r, node, r.pinFields, "tree")
				return cmp.Or(err, r.checkPin(node, pin), keep(node, pin, "source"))
			}),
			"caches": r.list(func(node *yaml.Node) error {
				pin, err := readPin(r, node, r.cacheFields, "from", "digest", "cache_version", "selection")
				return cmp.Or(err, keep(node, pin, "cache"))
			}),
		}, "version")(root)
	}
	if err != nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%w; restore the file from version control, or remove it and fetch again", err)
	}
	return l, nil
}

var (
	commitForm      = lazy.Regexp(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	sha256Form      = lazy.Regexp(`^[0-9a-f]{64}$`)
	treeForm        = lazy.Regexp(`^h1:[A-Za-z0-9+/]{43}=$`)
	cacheDigestForm = lazy.Regexp(`^sha256:[0-9a-f]{64}$`)
)

// A lockField is a key of a pin: how to read it, and its value in YAML.
type lockField struct {
	key   string
	read  use
	value string // "" for none
}

// pinFields returns the keys of a pinned source, in the order of the file.
func (r *nodeReader) pinFields(p *fetch.Pin) []lockField {
	return []lockField{
		{"git", r.text(&p.Git), quoted(p.Git)},
		{"archive", r.text(&p.Archive), quoted(p.Archive)},
		{"ref", r.text(&p.Ref), quoted(p.Ref)},
		{"dir", r.text(&p.Dir), quoted(p.Dir)},
		{"commit", r.formed(&p.Commit, commitForm, "a commit"), quoted(p.Commit)},
		{"sha256", r.formed(&p.SHA256, sha256Form, "a SHA-256"), quoted(p.SHA256)},
		{"tree", r.formed(&p.Tree, treeForm, "the hash of a tree"), quoted(p.Tree)},
	}
}

// cacheFields returns the keys of a pinned cache, in the order of the file.
func (r *nodeReader) cacheFields(p *CachePin) []lockField {
	return []lockField{
		{"from", r.text(&p.From), quoted(p.From)},
		{"digest", r.formed((*string)(&p.Digest), cacheDigestForm, "a digest such as sha256:0123..."), string(p.Digest)},
		{"cache_version", parsed(r, yaml12.Text, document.ParseVersion, &p.Version), p.Version.String()},
		{"selection", parsed(r, yaml12.Int, parseSelection, &p.Selection), string(p.Selection)},
	}
}

// readPin reads a pin with these fields.
func readPin[Pin any](r *nodeReader, node *yaml.Node, fieldsOf func(*Pin) []lockField, required ...string) (p Pin, err error) {
	keys := map[string]use{}
	for _, f := range fieldsOf(&p) {
		keys[f.key] = f.read
	}
	err = r.mapping(keys, required...)(node)
	return p, err
}

// checkPin fails unless a pin says exactly which version of a source it means.
func (r *nodeReader) checkPin(node *yaml.Node, p fetch.Pin) error {
	if err := p.Check(); err != nil {
		return r.errorf(node, "%w", err)
	}
	if (p.Git == "") != (p.Commit == "") || (p.Archive == "") != (p.SHA256 == "") {
		return r.errorf(node, "a repository is pinned by its commit, and an archive by its sha256")
	}
	return nil
}

// formed keeps a text of a form.
func (r *nodeReader) formed(keep *string, form func() *regexp.Regexp, noun string) use {
	return parsed(r, yaml12.Text, func(text string) (string, error) {
		if !form().MatchString(text) {
			return "", fmt.Errorf("expected %s, got %q", noun, text)
		}
		return text, nil
	}, keep)
}

// Print returns the text of a lock file, with the pins sorted.
func (l LockedVersions) Print() []byte {
	var out bytes.Buffer
	out.WriteString("# The exact versions of fetched sources and caches. Keep this file in version control.\nversion: 1\n")
	r := new(nodeReader)
	printPins(&out, "sources", l, r.pinFields)
	printPins(&out, "caches", l, r.cacheFields)
	return out.Bytes()
}

// printPins prints pins of a kind in the order of their fields.
func printPins[Pin Pinned](out *bytes.Buffer, key string, pins LockedVersions, fieldsOf func(*Pin) []lockField) {
	var all [][]KeyValue
	for _, p := range pins {
		pin, isOfKind := p.(Pin)
		if !isOfKind {
			continue
		}
		var fields []KeyValue
		for _, f := range fieldsOf(&pin) {
			fields = append(fields, KeyValue{f.key, f.value})
		}
		all = append(all, fields)
	}
	if all != nil {
		fmt.Fprintf(out, "%s:\n", key)
	}
	slices.SortFunc(all, func(a, b []KeyValue) int {
		return slices.CompareFunc(a, b, func(a, b KeyValue) int { return cmp.Compare(a.Value, b.Value) })
	})
	for _, fields := range all {
		printFields(out, "  - ", "    ", fields)
	}
}

// readFile reads a Contextfile or a lock file.
func readFile(path string) ([]byte, error) {
	text, err := files.ReadRegular(path, maxSize)
	if errors.Is(err, files.ErrTooLarge) {
		return nil, fault.Errorf(fault.ContextInvalid, "%s is larger than %d bytes", path, maxSize)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	return text, nil
}
