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

	"go.yaml.in/yaml/v3"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/fetch"
	"github.com/contextcompiler/context/internal/files"
	"github.com/contextcompiler/context/internal/lazy"
)

// ReadLock reads the pins in the lock file at a path. If the file doesn't exist, there are none.
// It fails as [Read] does.
func ReadLock(path string) (pins []fetch.Pin, err error) {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &nodeReader{path: path, dir: filepath.Dir(path), left: maxNodes}
	root, err := r.parseYAML(text)
	if err == nil {
		err = r.mapping(map[string]use{
			"version": r.version,
			"sources": r.list(func(node *yaml.Node) error {
				pin, err := r.pin(node)
				if err == nil && slices.ContainsFunc(pins, func(p fetch.Pin) bool { return p.Origin == pin.Origin }) {
					err = r.errorf(node, "duplicate source %s", pin.Origin)
				}
				pins = append(pins, pin)
				return err
			}),
		}, "version", "sources")(root)
	}
	if err != nil {
		return nil, fault.Errorf(fault.ContextInvalid, "%w", err)
	}
	return pins, nil
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

// PrintLock returns the text of a lock file, with the pins sorted.
func PrintLock(pins []fetch.Pin) []byte {
	pins = slices.Clone(pins)
	slices.SortFunc(pins, func(a, b fetch.Pin) int {
		return cmp.Or(cmp.Compare(a.Git, b.Git), cmp.Compare(a.Archive, b.Archive), cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Dir, b.Dir))
	})
	var out bytes.Buffer
	out.WriteString("# The exact versions of the fetched sources. Keep this file in version control.\nversion: 1\nsources:\n")
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
				fmt.Fprintf(&out, "%s%s: %s\n", lead, field.key, scalar(field.value))
				lead = "    "
			}
		}
	}
	return out.Bytes()
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
