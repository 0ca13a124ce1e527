package targets

import (
	"bytes"
	"cmp"
	"context"
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
	"github.com/contextcompiler/context/internal/base/yaml12"
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
				pin, err := readPin(r, node, r.pinFields, "tree")
				if err == nil {
					err = r.checkPin(node, pin)
				}
				if _, isPinned := l.Find(pin.Origin); err == nil && isPinned {
					err = r.errorf(node, "duplicate source %s", pin.Origin)
				}
				l.Sources = append(l.Sources, pin)
				return err
			}),
			"caches": r.list(func(node *yaml.Node) error {
				pin, err := readPin(r, node, r.cacheFields, "from", "digest", "cache_version", "selection")
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
	printPins(&out, "sources", l.Sources, r.pinFields)
	printPins(&out, "caches", l.Caches, r.cacheFields)
	return out.Bytes()
}

// printPins prints pins in the order of their fields.
func printPins[Pin any](out *bytes.Buffer, key string, pins []Pin, fieldsOf func(*Pin) []lockField) {
	if len(pins) == 0 {
		return
	}
	fmt.Fprintf(out, "%s:\n", key)
	var all [][]KeyValue
	for i := range pins {
		var fields []KeyValue
		for _, f := range fieldsOf(&pins[i]) {
			fields = append(fields, KeyValue{f.key, f.value})
		}
		all = append(all, fields)
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
	text, err := files.ReadInput(context.Background(), path, maxSize)
	if errors.Is(err, files.ErrTooLarge) {
		return nil, fault.Errorf(fault.ContextInvalid, "%s is larger than %d bytes", path, maxSize)
	}
	if err != nil {
		return nil, fault.Errorf(fault.IO, "read %s: %w", path, fault.Cause(err))
	}
	return text, nil
}
