package targets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/acquire/registry"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/answer/evaluation"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/internal/base/replace"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/pipeline"
	"github.com/contextcompiler/context/selection"
)

func parse(path string, text []byte, environment Environment) (*Contextfile, error) {
	r := &nodeReader{path: path, dir: filepath.Dir(path), environment: environment, left: maxNodes}
	root, err := r.parseYAML(text)
	if err != nil {
		return nil, err
	}
	f := &Contextfile{Path: path}
	var names []*yaml.Node
	err = r.mapping(map[string]use{
		"version": r.version,
		"caches": r.entries(func(key, value *yaml.Node) error {
			if !answers.IsName(key.Value) {
				return r.errorf(key, `a target cannot be named %q: use letters, digits, "-", "_" and "."`, key.Value)
			}
			t, err := r.target(key.Value, value)
			if err != nil {
				return err
			}
			f.Targets = append(f.Targets, t)
			names = append(names, key)
			return nil
		}),
	}, "version", "caches")(root)
	if err != nil {
		return nil, err
	}
	if len(f.Targets) == 0 {
		return nil, r.errorf(root, `"caches" is empty: expected a target`)
	}
	f.finishActions(text)
	return f, r.keepApart(f.Targets, names)
}

func (r *nodeReader) version(node *yaml.Node) error {
	return parsed(r, yaml12.Int, func(number string) (_ string, err error) {
		if number != "1" {
			err = fmt.Errorf("this program reads version 1, and not %s", number)
		}
		return number, err
	}, new(string))(node)
}

func (r *nodeReader) target(name string, node *yaml.Node) (Target, error) {
	t := Target{Name: name, Build: pipeline.Config{Force: true, Selection: selection.Spec1}}
	output, drafts, packaged := outputs+"/"+name, false, ""
	var product document.Product
	given := map[string]bool{} // sources
	err := r.mapping(map[string]use{
		"from":        r.keepShared(&t.Shared),
		"description": parsed(r, yaml12.Text, document.ParseDescription, &t.Build.About.Description),
		"base_url":    parsed(r, yaml12.Text, document.ParseBaseURL, &t.Build.About.BaseURL),
		"product":     parsed(r, yaml12.Text, func(text string) (string, error) { return text, document.Product{Name: text}.Check() }, &product.Name),
		"version": written(r, func(text string) (string, error) {
			return text, document.Product{Name: "any", Version: text}.Check()
		}, &product.Version),
		"sources": r.list(func(node *yaml.Node) error {
			s, err := r.source(node)
			comparable := s
			comparable.Locate, comparable.action = nil, nil
			if key := fmt.Sprintf("%#v %#v", comparable, s.action); err == nil && given[key] {
				err = r.errorf(node, "duplicate source %s", s.Dir)
			} else {
				given[key] = true
			}
			t.Build.Sources = append(t.Build.Sources, s.Mount)
			t.Actions = append(t.Actions, s.action)
			if packaged = s.product; s.origin != (fetch.Origin{}) {
				t.Remote = append(t.Remote, s.origin)
			}
			return err
		}),
		"gitignore": r.boolean(&t.Build.Filter.Gitignore),
		"drafts":    r.boolean(&drafts),
		"output":    parsed(r, yaml12.Text, checkOutput, &output),
		"selection": parsed(r, yaml12.Int, parseSelection, &t.Build.Selection),
		"checks": r.list(func(node *yaml.Node) error {
			c, err := r.check(node)
			t.Checks = append(t.Checks, c)
			return err
		}),
	})(node)
	if err == nil {
		err = r.checkOrigin(node, t)
	}
	if err == nil && product.Name == "" && len(t.Build.Sources) == 1 {
		product.Name = packaged
		if err = product.Check(); err != nil {
			err = r.errorf(node, "%w", err)
		}
	}
	t.Build.Cache, t.Build.SkipDrafts, t.Build.About.Product = r.join(output), !drafts, product
	return t, err
}

// checkOrigin fails unless a target has either sources or a cache to take from elsewhere, which
// nothing else can change.
func (r *nodeReader) checkOrigin(node *yaml.Node, t Target) error {
	if t.Shared == nil && t.Build.Sources == nil {
		return r.errorf(node, `"sources" is missing`)
	}
	if t.Shared == nil {
		return nil
	}
	return r.entries(func(key, _ *yaml.Node) error {
		if !slices.Contains([]string{"from", "output", "checks"}, key.Value) {
			return r.errorf(key, `%q does not go with "from": the cache is complete as it is`, key.Value)
		}
		return nil
	})(node)
}

// join returns a path of the file as seen from the working directory.
func (r *nodeReader) join(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.dir, path)
}

func (r *nodeReader) file(keep *string) use {
	return parsed(r, yaml12.Text, func(path string) (string, error) { return r.join(path), nil }, keep)
}

func parseDialect(name string) (isMDX bool, err error) {
	if name != "mdx" {
		return false, fmt.Errorf("expected mdx, got %s", name)
	}
	return true, nil
}

func checkOutput(text string) (string, error) {
	if registry.IsRef(text) {
		return "", fmt.Errorf("expected a directory, got %q: push the cache after the build", text)
	}
	return text, nil
}

func checkPrefix(text string) (string, error) {
	return text, pipeline.Mount{Prefix: text}.Check()
}

func checkPattern(pattern string) error {
	if strings.ContainsAny(pattern, "\r\n") || strings.TrimSpace(pattern) == "" || pattern[0] == '#' {
		return fmt.Errorf("%q is not a pattern as in .gitignore", pattern)
	}
	return nil
}

func parseSelection(number string) (selection.Spec, error) {
	spec := selection.Spec(number)
	if spec.Check() != nil {
		return spec, fmt.Errorf("expected 1 (sections) or 0 (whole pages), got %s", number)
	}
	return spec, nil
}

func (r *nodeReader) check(node *yaml.Node) (c Check, err error) {
	var gates []*yaml.Node // names and values
	err = r.mapping(map[string]use{
		"queries":   r.file(&c.Queries),
		"qrels":     r.file(&c.Qrels),
		"baseline":  r.file(&c.Baseline),
		"tolerance": written(r, parseTolerance, &c.Tolerance),
		"budgets": r.list(func(node *yaml.Node) error {
			var n uint64
			err := parsed(r, yaml12.Int, parseBudget, &n)(node)
			c.Budgets = append(c.Budgets, n)
			return err
		}),
		"fail_under": r.entries(func(key, value *yaml.Node) error {
			gates = append(gates, key, value)
			return nil
		}),
	}, "queries", "qrels")(node)
	if err != nil {
		return c, err
	}
	if c.Tolerance != nil && c.Baseline == "" {
		return c, r.errorf(node, `"tolerance" needs "baseline"`)
	}
	if c.Budgets == nil {
		c.Budgets = []uint64{4000}
	}
	slices.Sort(c.Budgets)
	c.Budgets = slices.Compact(c.Budgets)
	measures := evaluation.Measures(c.Budgets)
	for at := range slices.Chunk(gates, 2) {
		number := yaml12.Follow(at[1])
		gate, err := evaluation.ParseGate(at[0].Value+"="+number.Value, measures)
		if err != nil {
			return c, r.errorf(at[0], "%w", err)
		}
		c.Gates = append(c.Gates, gate)
	}
	return c, nil
}

func parseTolerance(text string) (*evaluation.Fraction, error) {
	f, err := evaluation.ParseFraction(text)
	return &f, err
}

func parseBudget(number string) (uint64, error) {
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number of tokens", number)
	}
	return n, nil
}

// keepApart refuses outputs inside another target's output, and sources inside an output.
// names contains the node of each target's name, in order.
func (r *nodeReader) keepApart(targets []Target, names []*yaml.Node) error {
	outputs := map[string]*yaml.Node{} // by folded path
	exact := map[string]bool{}         // by located path
	for i, t := range targets {
		output := located(t.Build.Cache)
		switch other := outputs[folded(output)]; {
		case exact[output]:
			return r.errorf(names[i], "the output %s is that of the target %s, too: choose another directory", t.Build.Cache, other.Value)
		case other != nil:
			return r.errorf(names[i], "some file systems cannot tell the output %s from that of the target %s: choose another directory", t.Build.Cache, other.Value)
		case filepath.Dir(output) == output:
			return r.errorf(names[i], "the output %s is the root of a file system: choose another directory", t.Build.Cache)
		}
		exact[output], outputs[folded(output)] = true, names[i]
	}
	for i, t := range targets {
		if other := holding(outputs, filepath.Dir(folded(located(t.Build.Cache)))); other != nil {
			return r.errorf(names[i], "the output %s is in that of the target %s: choose another directory", t.Build.Cache, other.Value)
		}
		for _, m := range t.Build.Sources {
			if m.Locate != nil {
				continue // a build keeps these apart, when it knows where they are
			}
			if other := holding(outputs, folded(located(m.Dir))); other != nil {
				return r.errorf(names[i], "the sources %s are in the output of the target %s: choose another directory", m.Dir, other.Value)
			}
		}
	}
	return nil
}

// folded returns the same path for paths that a file system, such as that of macOS, may
// not tell apart. It ignores case and Unicode normalization.
func folded(path string) string {
	upper := strings.ToUpper(norm.NFD.String(path)) // unites letters such as σ and ς
	return norm.NFD.String(strings.ToLower(upper))
}

// holding returns the value of a directory or of the nearest directory above that has a
// value, or nil.
func holding(byPath map[string]*yaml.Node, dir string) *yaml.Node {
	for byPath[dir] == nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return byPath[dir]
}

// located returns an absolute path without symlinks, as far as the system knows the path.
// If the system refuses the path, a build will report it.
func located(path string) string {
	if real, err := replace.Locate(path); err == nil {
		return real
	}
	if full, err := files.Absolute(path); err == nil {
		return full
	}
	return filepath.Clean(path)
}
