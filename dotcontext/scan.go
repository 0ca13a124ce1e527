package dotcontext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/dotcontext/contextfile"
	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/parallel"
)

// The defaults of the config file.
const (
	defaultMaxDepth  = 10
	defaultMinTokens = 4096
)

// The ignore files: git's count in every directory, ours at the root.
const (
	gitIgnore     = ".gitignore"
	contextIgnore = ".contextignore"
)

// A scan is what a project consists of.
type scan struct {
	directories []*directory // all that were entered, sorted by scope
	config      contextfile.Config
	problems    []contextfile.Problem // of the config file
	warnings    []string              // what else was passed over and why
}

// kept returns the directories that are to have a context.
func (s *scan) kept() []*directory {
	return slices.DeleteFunc(slices.Clone(s.directories), func(d *directory) bool { return !d.kept })
}

// withFile returns the directories that have a file for a context, kept or not.
func (s *scan) withFile() []*directory {
	return slices.DeleteFunc(slices.Clone(s.directories), func(d *directory) bool { return !d.hasFile })
}

// entered returns the directory at d's scope as the scan knows it, with the rules
// of those above it, or d itself if the scan did not enter it.
func (s *scan) entered(d *directory) *directory {
	for _, known := range s.directories {
		if known.scope == d.scope {
			return known
		}
	}
	return d
}

// skipped returns how many directories have sources but too few of them.
func (s *scan) skipped() (n int) {
	for _, d := range s.directories {
		if d.qualifies && !d.kept {
			n++
		}
	}
	return n
}

// scan lists the project's directories: one level after the other, those of a
// level in parallel. It fails with [fault.IO] if the root cannot be listed; any
// other directory that cannot be is a warning.
func (p *Project) scan(ctx context.Context) (*scan, error) {
	s := &scan{}
	s.readConfig(p)
	rules, err := p.gitRules()
	if err != nil {
		s.warnings = append(s.warnings, fmt.Sprintf("%s: %v, so it is left out", gitExclude, fault.Cause(err)))
	}
	level := []*directory{{scope: ".", git: rules}}
	for depth := 0; len(level) > 0 && depth <= s.maxDepth(); depth++ {
		_, err := parallel.Each(ctx, 0, level, func(_ context.Context, _ int, d *directory) (struct{}, error) {
			d.list(p, s.config.Ignore)
			return struct{}{}, nil
		})
		if err != nil {
			return nil, err
		}
		if root := level[0]; depth == 0 && root.unreadable != nil {
			return nil, fault.Errorf(fault.IO, "read directory %s: %w", p.Path, fault.Cause(root.unreadable))
		}
		s.directories = append(s.directories, level...)
		level = s.next(level)
	}
	s.keep()
	slices.SortFunc(s.directories, func(a, b *directory) int { return compareUTF16(a.scope, b.scope) })
	return s, nil
}

// readConfig reads the config file, if there is one. What is right in it counts.
func (s *scan) readConfig(p *Project) {
	text, err := p.read(contextfile.ConfigName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.problems = []contextfile.Problem{{Message: fault.Cause(err).Error(), Fix: "make it a file that can be read"}}
	default:
		s.config, s.problems = contextfile.ParseConfig(text)
	}
}

// allWarnings are those about the config file, then the others.
func (s *scan) allWarnings() (warnings []string) {
	for _, problem := range s.problems {
		warnings = append(warnings, contextfile.ConfigName+": "+problem.String())
	}
	return append(warnings, s.warnings...)
}

func (s *scan) maxDepth() int {
	if s.config.MaxDepth != nil {
		return *s.config.MaxDepth
	}
	return defaultMaxDepth
}

func (s *scan) minTokens() int64 {
	if s.config.MinTokens != nil {
		return *s.config.MinTokens
	}
	return defaultMinTokens
}

// next returns the directories below those of a level.
func (s *scan) next(level []*directory) (below []*directory) {
	for _, d := range level {
		s.warnings = append(s.warnings, d.warnings...)
		for _, scope := range d.subscopes {
			if !utf8.ValidString(scope) || strings.Contains(scope, `\`) {
				s.warnings = append(s.warnings, fmt.Sprintf("%q: its name is not UTF-8 or has a backslash, so it is left out", scope))
				continue
			}
			below = append(below, &directory{scope: scope, rules: d.rules, git: d.git})
		}
	}
	return below
}

// keep decides which directories qualify and which are kept. Those of a level
// stand before those below them, so from the last to the first a directory is
// decided before its parent.
func (s *scan) keep() {
	byScope := make(map[string]*directory, len(s.directories))
	for _, d := range s.directories {
		byScope[d.scope] = d
		unknown := d.unreadable != nil && d.hasFile // somebody kept it when it could be read
		d.qualifies = len(d.sources) > 0 || unknown
		d.kept = unknown || d.qualifies && (s.minTokens() <= 0 || d.tokens() >= s.minTokens())
	}
	for _, d := range slices.Backward(s.directories) {
		if d.scope == "." {
			d.qualifies, d.kept = true, true
			continue
		}
		parent := byScope[path.Dir(d.scope)]
		parent.qualifies = parent.qualifies || d.qualifies
		parent.kept = parent.kept || d.kept
	}
}
