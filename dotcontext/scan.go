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
	unread      error                 // the config file could not be read
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

// doubts returns what could not be read, each thing once, sorted by the scope of
// the first directory that needs it.
func (s *scan) doubts() (doubts []error) {
	add := func(err error) {
		if err != nil && !slices.Contains(doubts, err) {
			doubts = append(doubts, err)
		}
	}
	add(s.unread)
	for _, d := range s.directories {
		add(d.unruled)
		add(d.unread)
	}
	return doubts
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
// level in parallel. It fails with [fault.IO] if the root cannot be listed. What
// else cannot be read is a doubt about the directory that it is in.
func (p *Project) scan(ctx context.Context) (*scan, error) {
	s := &scan{}
	s.readConfig(p)
	rules, unruled := p.gitRules()
	level := []*directory{{scope: ".", git: rules, unruled: unruled}}
	for depth := 0; len(level) > 0 && depth <= s.maxDepth(); depth++ {
		_, err := parallel.Each(ctx, 0, len(level), func(_ context.Context, _, i int) (struct{}, error) {
			level[i].list(p, s.config.Ignore)
			return struct{}{}, nil
		})
		if err != nil {
			return nil, err
		}
		if root := level[0]; depth == 0 && root.unlisted {
			return nil, fault.Errorf(fault.IO, "read directory %s: %w", p.Path, errors.Unwrap(root.unread))
		}
		if depth == 0 && level[0].isCache {
			return nil, fault.Errorf(fault.IO, "no project at %s: %w", p.Path, errCache)
		}
		level = slices.DeleteFunc(level, func(d *directory) bool { return d.isGone || d.isCache })
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
		if isRefusal(err) {
			s.unread = err
		}
		s.problems = []contextfile.Problem{unusable(err)}
	default:
		s.config, s.problems = contextfile.ParseConfig(text)
	}
}

// allWarnings are those about the config file, then the others.
func (s *scan) allWarnings() (warnings []string) {
	for _, problem := range s.problems {
		warnings = append(warnings, contextfile.ConfigName+": "+problem.String())
	}
	return append(warnings, s.otherWarnings()...)
}

// otherWarnings are those about anything but the config file.
func (s *scan) otherWarnings() []string {
	warnings := slices.Clone(s.warnings)
	for _, doubt := range s.doubts() {
		if doubt != s.unread {
			warnings = append(warnings, doubt.Error())
		}
	}
	return warnings
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
		for _, scope := range d.subscopes {
			if !utf8.ValidString(scope) || strings.Contains(scope, `\`) {
				s.warnings = append(s.warnings, fmt.Sprintf("%q: its name is not UTF-8 or has a backslash, so it is left out", scope))
				continue
			}
			below = append(below, &directory{scope: scope, rules: d.rules, git: d.git, unruled: d.unruled})
		}
	}
	return below
}

// keep decides which directories qualify and which are kept. One that could not be
// read is kept, so that its entry says so. Those of a level
// stand before those below them, so from the last to the first a directory is
// decided before its parent.
func (s *scan) keep() {
	byScope := make(map[string]*directory, len(s.directories))
	for _, d := range s.directories {
		byScope[d.scope] = d
		d.qualifies = len(d.sources) > 0 || d.unread != nil
		d.kept = d.unread != nil || d.qualifies && (s.minTokens() <= 0 || d.tokens() >= s.minTokens())
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
