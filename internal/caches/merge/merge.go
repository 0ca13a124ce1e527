// Package merge makes a single cache of several caches. Any partition of sources into
// caches, merged in any order or in several steps, gives the bytes of a single build of all
// of them.
//
//	open → check → verify → keep → seal
package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

// MaxInputs is the largest number of caches to merge at once.
const MaxInputs = 1 << 10

// An Input is a cache to merge.
type Input struct {
	Path   string
	Prefix string // slash path to put before the paths of its pages; "" for none
}

// Check fails unless the prefix is empty or a path such as api/v2.
func (i Input) Check() error { return sources.Mount{Prefix: i.Prefix}.Check() }

// A Plan says what to merge.
type Plan struct {
	Inputs     []Input // at least one and at most [MaxInputs], in any order
	Cache      string  // directory to create
	Force      bool    // replace Cache if it is a cache already
	AllowEmpty bool    // allow a cache without documents to replace a cache with some
	NoVerify   bool    // don't verify the inputs; compare only the files of documents with the indexes
	Jobs       int     // documents in flight at once; 0 means one per CPU

	// What the new cache is about. For nil, all inputs must agree.
	Description *string
	BaseURL     *string
	Product     *document.Product

	CreatedAt string // of the new cache; "" means the latest of all inputs
}

// Caches merges caches as planned. It returns the manifest of the new cache without its
// documents. The new cache appears complete or not at all, and the inputs stay as they are.
//
// A merge is a build that keeps the documents of all inputs. Only documents below a prefix are
// put again, since their paths are a part of their files, and gain the terms of the prefix.
//
// It fails with [fault.CacheMissing] if an input is missing, and with [fault.CacheInvalid] if
// an input is damaged, shares an ID with another, or cannot be merged with the others.
func Caches(ctx context.Context, plan Plan) (cache.Manifest, error) {
	if n := len(plan.Inputs); n < 1 || n > MaxInputs {
		return cache.Manifest{}, fmt.Errorf("expected 1 to %d caches, got %d: merge some of them first", MaxInputs, n)
	}
	m := merger{Plan: plan}
	defer m.close()
	for _, input := range plan.Inputs {
		if err := cmp.Or(input.Check(), context.Cause(ctx)); err != nil {
			return cache.Manifest{}, err
		}
		c, err := cache.OpenToMerge(input.Path, stages.Versions)
		if err != nil {
			return cache.Manifest{}, err
		}
		m.caches = append(m.caches, c)
	}
	options, createdAt, err := m.options()
	if err != nil {
		return cache.Manifest{}, err
	}
	if !plan.NoVerify {
		if err := verifyAll(ctx, plan); err != nil {
			return cache.Manifest{}, err
		}
	}
	return m.write(ctx, options, createdAt)
}

// A merger is in the middle of [Caches].
type merger struct {
	Plan
	caches []*cache.Previous // of the inputs
}

func (m merger) close() {
	for _, c := range m.caches {
		c.Close()
	}
}

func (m merger) write(ctx context.Context, options cache.CreateOptions, createdAt string) (cache.Manifest, error) {
	out, err := cache.Create(m.Cache, options)
	if err != nil {
		return cache.Manifest{}, err
	}
	defer out.Close()
	var items []cache.NewDocument
	for i, c := range m.caches {
		var put func(cache.NewDocument, document.Document) (cache.NewDocument, error)
		if prefix := m.Inputs[i].Prefix; prefix != "" {
			put = func(kept cache.NewDocument, doc document.Document) (cache.NewDocument, error) {
				return putBelow(out, prefix, kept, doc)
			}
		}
		more, err := c.KeepAll(ctx, m.Jobs, put)
		if err != nil {
			return cache.Manifest{}, err
		}
		items = append(items, more...)
	}
	if err := out.Sort(items); err != nil {
		return cache.Manifest{}, err
	}
	if len(items) == 0 && !m.AllowEmpty && out.ReplacesDocuments() {
		return cache.Manifest{}, fault.Errorf(fault.IO, "%s %w", m.Cache, cache.ErrEmpty)
	}
	manifest, _, err := out.Seal(ctx, items, createdAt)
	return manifest, err
}

// putBelow puts a document below a prefix.
func putBelow(out *cache.Writer, prefix string, kept cache.NewDocument, doc document.Document) (cache.NewDocument, error) {
	doc.Source = prefix + "/" + doc.Source
	doc.ID = document.IDOf(doc.Source)
	if err := sources.CheckDepth(string(doc.ID)); err != nil {
		return cache.NewDocument{}, err
	}
	page, err := stages.IndexMoved(out.Terms(), out.Selection(), kept.ID, doc, out.KeepTerms(kept))
	if err != nil {
		return cache.NewDocument{}, err
	}
	item, err := out.Put(doc, page)
	notes := kept.Notes()
	if notes.Warning != "" {
		notes.Warning = prefix + "/" + notes.Warning // it begins with the path of the source
	}
	item.Note(notes)
	return item, err
}

func verifyAll(ctx context.Context, plan Plan) error {
	for _, input := range plan.Inputs {
		found, err := verify.Path(ctx, input.Path, plan.Jobs)
		if err := cmp.Or(err, cache.Damaged(input.Path, found.Err())); err != nil {
			return err
		}
	}
	return nil
}

// options returns how to merge the caches. It fails if no single build could make all of them.
func (m merger) options() (options cache.CreateOptions, createdAt string, err error) {
	var converters []string
	latest := time.Time{}
	for _, c := range m.caches {
		if err := cmp.Or(checkCompiler(c), sameSelection(m.caches[0], c)); err != nil {
			return options, "", err
		}
		if c.Converters != "" {
			converters = append(converters, strings.Split(c.Converters, ", ")...)
		}
		at, text, err := c.CreatedAt()
		if err != nil {
			return options, "", err
		}
		if order := at.Compare(latest); createdAt == "" || order > 0 || order == 0 && text > createdAt {
			latest, createdAt = at, text
		}
	}
	about, err := m.about()
	return cache.CreateOptions{
		Replace: m.Force, Jobs: m.Jobs, Keep: m.caches,
		Recipe: cache.Recipe{Compiler: stages.Versions, Selection: m.caches[0].Selection, About: about, Converters: converters},
	}, cmp.Or(m.CreatedAt, createdAt), err
}

// ErrOther means that another program made an input.
var ErrOther = errors.New("was made by another version of this program")

// checkCompiler fails unless this program would make the same documents again.
func checkCompiler(c *cache.Previous) error {
	if c.Compiler == "" {
		return fault.Errorf(fault.CacheInvalid, "%s doesn't say which version made it, because it contains too many warnings: build all pages at once instead", c.Path())
	}
	if c.Compiler != stages.Versions {
		return fault.Errorf(fault.CacheInvalid, "%s %w (%s instead of %s): build it again", c.Path(), ErrOther, c.Compiler, stages.Versions)
	}
	for _, name := range strings.Split(c.Converters, ", ") {
		if name != "" && !convert.IsCurrent(name) {
			return fault.Errorf(fault.CacheInvalid, "%s %w (with the converter %s): build it again", c.Path(), ErrOther, name)
		}
	}
	return nil
}

func sameSelection(first, c *cache.Previous) error {
	if first.Selection == c.Selection {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid, "%s is for selection %d, but %s for selection %d: build both for the same selection",
		first.Path(), first.Selection, c.Path(), c.Selection)
}

// about returns what the new cache is about.
func (m merger) about() (about document.About, err error) {
	if m.BaseURL == nil {
		for i, c := range m.caches {
			if prefix := m.Inputs[i].Prefix; prefix != "" && c.About.BaseURL != "" {
				return about, fault.Errorf(fault.CacheInvalid, "%s: its base URL %s does not fit pages below %s/: %w", c.Path(), c.About.BaseURL, prefix, ErrNoBaseURL)
			}
		}
	}
	about.Description, err = agreed(m.caches, m.Description, ErrNoDescription, func(a document.About) string { return a.Description })
	if err != nil {
		return about, err
	}
	about.BaseURL, err = agreed(m.caches, m.BaseURL, ErrNoBaseURL, func(a document.About) string { return a.BaseURL })
	if err != nil {
		return about, err
	}
	about.Product, err = agreed(m.caches, m.Product, ErrNoProduct, func(a document.About) document.Product { return a.Product })
	return about, cmp.Or(err, about.Check())
}

// Errors about what only the caller can choose.
var (
	ErrNoDescription = errors.New("the new cache needs a description of its own")
	ErrNoBaseURL     = errors.New("the new cache needs a base URL of its own")
	ErrNoProduct     = errors.New("the new cache needs a product of its own, or none")
)

// agreed returns the chosen value or, if it is nil, the value of all caches. It fails with
// differ if their values differ.
func agreed[T comparable](caches []*cache.Previous, chosen *T, differ error, value func(document.About) T) (T, error) {
	if chosen != nil {
		return *chosen, nil
	}
	first := value(caches[0].About)
	for _, c := range caches {
		if v := value(c.About); v != first {
			return first, fault.Errorf(fault.CacheInvalid, "%s says %q, but %s says %q: %w", caches[0].Path(), fmt.Sprint(first), c.Path(), fmt.Sprint(v), differ)
		}
	}
	return first, nil
}
