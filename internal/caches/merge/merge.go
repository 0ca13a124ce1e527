// Package merge makes a single cache of several caches. Any partition of sources into
// caches, merged in any order or in several steps, gives the bytes of a single build of all
// of them.
//
//	open → check → verify → cache.Merge
package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/internal/caches/cache"
	"github.com/contextcompiler/context/internal/caches/index"
	"github.com/contextcompiler/context/internal/caches/verify"
	"github.com/contextcompiler/context/internal/pages/convert"
	"github.com/contextcompiler/context/internal/pages/sections"
	"github.com/contextcompiler/context/internal/pages/sources"
	"github.com/contextcompiler/context/stages"
)

// MaxInputs is the largest number of caches to merge at once.
const MaxInputs = index.MaxInputs

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

// mostHeld is how many inputs keep their index open. Others open it for each read, because
// systems limit how many files a process can open.
const mostHeld = 128

// Caches merges caches as planned. It returns the manifest of the new cache without its
// documents. The new cache appears complete or not at all.
//
// It fails like [cache.Merge], with [fault.CacheMissing] if an input is missing, and with
// [fault.CacheInvalid] if an input cannot be merged with the others.
func Caches(ctx context.Context, plan Plan) (cache.Manifest, error) {
	if n := len(plan.Inputs); n < 1 || n > MaxInputs {
		return cache.Manifest{}, fmt.Errorf("expected 1 to %d caches, got %d: merge some of them first", MaxInputs, n)
	}
	var inputs []*cache.MergeInput
	defer func() {
		for _, m := range inputs {
			m.Close()
		}
	}()
	for i, input := range plan.Inputs {
		if err := cmp.Or(input.Check(), context.Cause(ctx)); err != nil {
			return cache.Manifest{}, err
		}
		m, err := cache.OpenMergeInput(input.Path, input.Prefix, i < mostHeld)
		if err != nil {
			return cache.Manifest{}, err
		}
		inputs = append(inputs, m)
	}
	options, err := plan.options(inputs)
	if err != nil {
		return cache.Manifest{}, err
	}
	if !plan.NoVerify {
		if err := verifyAll(ctx, plan); err != nil {
			return cache.Manifest{}, err
		}
	}
	return cache.Merge(ctx, plan.Cache, inputs, options)
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

// options returns how to merge inputs. It fails if no single build could make all of them.
func (plan Plan) options(inputs []*cache.MergeInput) (cache.MergeOptions, error) {
	for _, m := range inputs {
		if err := cmp.Or(checkCompiler(m), sameSelection(inputs[0], m)); err != nil {
			return cache.MergeOptions{}, err
		}
	}
	about, err := plan.about(inputs)
	if err != nil {
		return cache.MergeOptions{}, err
	}
	weigher := sections.NewWeigher()
	return cache.MergeOptions{
		Replace: plan.Force, AllowEmpty: plan.AllowEmpty, Jobs: plan.Jobs,
		Recipe:    cache.Recipe{Compiler: stages.Versions, Selection: inputs[0].Selection, About: about},
		CreatedAt: cmp.Or(plan.CreatedAt, latest(inputs)),
		Gained: func(prefix string, id document.ID) ([]words.TermWeight, error) {
			if err := sources.CheckDepth(prefix + "/" + string(id)); err != nil {
				return nil, err
			}
			return weigher.PrefixTerms(document.IDOf(prefix), id), nil
		},
	}, nil
}

// ErrOther means that another program made an input.
var ErrOther = errors.New("was made by another version of this program")

// checkCompiler fails unless this program would make the same documents again.
func checkCompiler(m *cache.MergeInput) error {
	if m.Compiler == "" {
		return fault.Errorf(fault.CacheInvalid, "%s doesn't say which version made it, because it contains too many warnings: build all pages at once instead", m.Path)
	}
	if m.Compiler != stages.Versions {
		return fault.Errorf(fault.CacheInvalid, "%s %w (%s instead of %s): build it again", m.Path, ErrOther, m.Compiler, stages.Versions)
	}
	for _, name := range m.Converters {
		if !convert.IsCurrent(name) {
			return fault.Errorf(fault.CacheInvalid, "%s %w (with the converter %s): build it again", m.Path, ErrOther, name)
		}
	}
	return nil
}

func sameSelection(first, m *cache.MergeInput) error {
	if first.Selection == m.Selection {
		return nil
	}
	return fault.Errorf(fault.CacheInvalid, "%s is for selection %d, but %s for selection %d: build both for the same selection",
		first.Path, first.Selection, m.Path, m.Selection)
}

// about returns what the new cache is about.
func (plan Plan) about(inputs []*cache.MergeInput) (about document.About, err error) {
	if plan.BaseURL == nil {
		for _, m := range inputs {
			if m.Prefix != "" && m.About.BaseURL != "" {
				return about, fault.Errorf(fault.CacheInvalid, "%s: its base URL %s does not fit pages below %s/: %w", m.Path, m.About.BaseURL, m.Prefix, ErrNoBaseURL)
			}
		}
	}
	about.Description, err = agreed(inputs, plan.Description, ErrNoDescription, func(m *cache.MergeInput) string { return m.About.Description })
	if err != nil {
		return about, err
	}
	about.BaseURL, err = agreed(inputs, plan.BaseURL, ErrNoBaseURL, func(m *cache.MergeInput) string { return m.About.BaseURL })
	if err != nil {
		return about, err
	}
	about.Product, err = agreed(inputs, plan.Product, ErrNoProduct, func(m *cache.MergeInput) document.Product { return m.About.Product })
	return about, cmp.Or(err, about.Check())
}

// Errors about what only the caller can choose.
var (
	ErrNoDescription = errors.New("the new cache needs a description of its own")
	ErrNoBaseURL     = errors.New("the new cache needs a base URL of its own")
	ErrNoProduct     = errors.New("the new cache needs a product of its own, or none")
)

// agreed returns the chosen value or, if it is nil, the value of all inputs. It fails with
// differ if their values differ.
func agreed[T comparable](inputs []*cache.MergeInput, chosen *T, differ error, value func(*cache.MergeInput) T) (T, error) {
	if chosen != nil {
		return *chosen, nil
	}
	for _, m := range inputs {
		if first := inputs[0]; value(m) != value(first) {
			return value(first), fault.Errorf(fault.CacheInvalid, "%s says %q, but %s says %q: %w", first.Path, fmt.Sprint(value(first)), m.Path, fmt.Sprint(value(m)), differ)
		}
	}
	return value(inputs[0]), nil
}

// latest returns the latest created_at of inputs.
func latest(inputs []*cache.MergeInput) string {
	return slices.MaxFunc(inputs, func(a, b *cache.MergeInput) int {
		return cmp.Or(timeOf(a).Compare(timeOf(b)), strings.Compare(a.CreatedAt, b.CreatedAt))
	}).CreatedAt
}

// timeOf returns when an input was created. The input has checked the format.
func timeOf(m *cache.MergeInput) time.Time {
	at, _ := time.Parse(time.RFC3339, strings.Replace(m.CreatedAt, " ", "T", 1))
	return at
}
