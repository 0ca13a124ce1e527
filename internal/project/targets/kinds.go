package targets

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/internal/acquire/actions"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/acquire/store"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/pipeline"
)

// A sourceKind is a kind of place that pages come from, such as a package or an archive. Its row
// contains everything that the rest of the program needs to know. docs/contextfile.md and its JSON schema describe the keys.
type sourceKind struct {
	keys []string // of a source: the first chooses the kind, and the others go with it besides those of all sources

	// read keeps a mount, whose Locate says where the pages are when a build starts. It is nil for the
	// kind whose key takes the place of all sources.
	read func(r *nodeReader, given keyNodes, s *declaredSource) error

	forms []string // of what `context add` takes, such as git:URL
	add   func(text string) (Addition, error)
}

// kinds returns all kinds. The key of the last can also go with the others.
func kinds() []sourceKind {
	return []sourceKind{
		{keys: []string{"from"}, forms: []string{"oci://HOST/NAME:TAG", "oci-layout:DIR:TAG"}, add: addShared},
		{keys: []string{"package"}, read: (*nodeReader).readPackage, forms: []string{"npm:NAME", "go:MODULE", "python:NAME"}, add: addPackage},
		{keys: []string{"git", "ref", "dir"}, read: (*nodeReader).readFetched, forms: []string{"git:URL"}, add: addFetched},
		{keys: []string{"archive", "dir"}, read: (*nodeReader).readFetched, forms: []string{"archive:URL"}, add: addFetched},
		{keys: []string{"convert", "dir"}, read: (*nodeReader).readAction},
		{keys: []string{directoryKey}, read: func(r *nodeReader, given keyNodes, s *declaredSource) error {
			return r.value(given, directoryKey, r.file(&s.Dir))
		}},
	}
}

const directoryKey = "dir"

// A declaredSource is a source of a target.
type declaredSource struct {
	pipeline.Mount
	origin  fetch.Origin         // what `context fetch` fetches and pins; zero for nothing
	action  *actions.BuildAction // the command that makes the pages, or nil
	product string               // what the pages document, if that is known
}

// Environment says where sources outside of a project are. The zero value knows none.
type Environment struct {
	ModuleCache string // of Go
	VirtualEnv  string // of Python; "" means that of the project
	Store       store.Store
	Now         time.Time // notes the use of entries in the store
	Workshop    actions.Workshop
}

// ErrNotFetched means a source must be fetched before a build can read it.
var ErrNotFetched = errors.New("is not fetched")

// LockPath returns the path of the lock file for the Contextfile at a path.
func LockPath(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".lock"
}

// keyNodes are the values of the keys that kinds read.
type keyNodes map[string]*yaml.Node

// value reads the value of a key, if it is given.
func (r *nodeReader) value(given keyNodes, key string, read use) error {
	if given[key] == nil {
		return nil
	}
	defer func(outer string) { r.key = outer }(r.key)
	r.key = key
	return read(given[key])
}

// source reads a source, which is a path or a mapping.
func (r *nodeReader) source(node *yaml.Node) (s declaredSource, err error) {
	s.SkipHidden = true
	switch kind, _ := yaml12.KindOf(yaml12.Follow(node)); kind {
	case yaml12.Text:
		return s, r.file(&s.Dir)(node)
	case yaml12.Map:
	default:
		return s, r.mismatch(node, yaml12.Text, `a directory such as "docs" or {dir: docs}`)
	}
	keys := map[string]use{
		"at":         parsed(r, yaml12.Text, checkPrefix, &s.Prefix),
		"include":    r.texts(&s.Include, checkPattern),
		"exclude":    r.texts(&s.Exclude, checkPattern),
		"markdown":   parsed(r, yaml12.Text, parseDialect, &s.MDX),
		"extensions": r.texts(&s.Extensions, func(text string) error { return pipeline.Mount{Extensions: []string{text}}.Check() }),
	}
	given := keyNodes{}
	for key := range kindKeys() {
		keys[key] = func(node *yaml.Node) error {
			given[key] = node
			return nil
		}
	}
	if err := r.mapping(keys)(node); err != nil {
		return s, err
	}
	if len(s.Include) > 0 && len(s.Extensions) > 0 {
		return s, r.errorf(node, `"include" and "extensions" are both given: write the extensions into the patterns of include, as in '**/*.mdx'`)
	}
	kind, err := r.kindOf(node, given)
	if err == nil {
		err = kind.read(r, given, &s)
	}
	if err == nil {
		if err = s.Check(); err != nil {
			err = r.errorf(node, "%w", err)
		}
	}
	return s, err
}

// kindKeys returns the keys of sources that kinds read.
func kindKeys() map[string]bool {
	keys := map[string]bool{}
	for _, k := range kinds() {
		if k.read != nil {
			for _, key := range k.keys {
				keys[key] = true
			}
		}
	}
	return keys
}

// kindOf returns the kind of a source with these keys, which must go together.
func (r *nodeReader) kindOf(node *yaml.Node, given keyNodes) (kind sourceKind, err error) {
	var found []string
	for _, k := range kinds() {
		if key := k.keys[0]; given[key] != nil && (key != directoryKey || found == nil) {
			kind = k
			found = append(found, key)
		}
	}
	switch len(found) {
	case 0:
		return kind, r.errorf(node, "%q is missing", directoryKey)
	case 1:
	default:
		return kind, r.errorf(node, "a source is one of %s: keep one of these keys", strings.Join(found, " and "))
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(kind.keys, key) {
			return kind, r.errorf(given[key], "%q does not go with %q", key, found[0])
		}
	}
	return kind, nil
}
