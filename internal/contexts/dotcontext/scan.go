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

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/base/parallel"
	"github.com/contextcompiler/context/internal/base/yaml12"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// A scan lists the directories of a project.
type scan struct {
	directories []*projectDir // sorted by scope
	config      contextfile.ScanConfig
	problems    []yaml12.Problem // of the config file
	unread      error            // of the config file
	warnings    []string         // what else is left out, and why
}

func (s *scan) where(keep func(*projectDir) bool) []*projectDir {
	return slices.DeleteFunc(slices.Clone(s.directories), func(d *projectDir) bool { return !keep(d) })
}

func isDescribed(d *projectDir) bool { return d.kept || d.hasFile }

// doubts returns each refusal once, sorted by the scope of the first directory that
// is affected.
func (s *scan) doubts() (doubts []error) {
	all := []error{s.unread}
	for _, d := range s.directories {
		all = append(all, d.unruled, d.unread)
	}
	for _, err := range all {
		if err != nil && !slices.Contains(doubts, err) {
			doubts = append(doubts, err)
		}
	}
	return doubts
}

func (s *scan) skipped() []*projectDir {
	return s.where(func(d *projectDir) bool { return d.qualifies && !d.kept })
}

// scan lists the project's directories level by level, each level in parallel. It
// fails with [fault.IO] if the root cannot be listed. Any other refusal only casts
// doubt on its own directory.
func (p *Project) scan(ctx context.Context) (*scan, error) {
	s := &scan{}
	s.readConfig(p)
	rules, unruled := p.gitRules()
	level := []*projectDir{{scope: ".", git: rules, unruled: unruled}}
	for depth := 0; len(level) > 0 && depth <= s.config.MaxDepth; depth++ {
		_, err := parallel.Each(ctx, 0, len(level), func(_ context.Context, _, i int) (struct{}, error) {
			level[i].list(p, s.config.Ignore)
			return struct{}{}, nil
		})
		if err != nil {
			return nil, err
		}
		switch root := level[0]; {
		case depth == 0 && root.unlisted:
			return nil, fault.Errorf(fault.IO, "read directory %s: %w", p.Path, errors.Unwrap(root.unread))
		case depth == 0 && root.isCache:
			return nil, fault.Errorf(fault.IO, "no project at %s: %w", p.Path, errCache)
		}
		level = slices.DeleteFunc(level, func(d *projectDir) bool { return d.isGone || d.isCache })
		s.directories = append(s.directories, level...)
		level = s.next(level)
	}
	s.keep()
	slices.SortFunc(s.directories, func(a, b *projectDir) int { return compareUTF16(a.scope, b.scope) })
	return s, nil
}

// readConfig reads the config file, if there is one, and uses its valid fields.
func (s *scan) readConfig(p *Project) {
	s.config, _ = contextfile.ParseConfig(nil)
	text, err := p.read(contextfile.ConfigName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		if isRefusal(err) {
			s.unread = err
		}
		s.problems = problemsOf(err)
	default:
		s.config, s.problems = contextfile.ParseConfig(text)
	}
}

func (s *scan) allWarnings() (warnings []string) {
	for _, problem := range s.problems {
		warnings = append(warnings, contextfile.ConfigName+": "+problem.String())
	}
	return append(warnings, s.otherWarnings()...)
}

// otherWarnings returns the warnings not about the config file.
func (s *scan) otherWarnings() []string {
	warnings := slices.Clone(s.warnings)
	for _, doubt := range s.doubts() {
		if doubt != s.unread {
			warnings = append(warnings, doubt.Error())
		}
	}
	return warnings
}

func (s *scan) next(level []*projectDir) (below []*projectDir) {
	for _, d := range level {
		for _, scope := range d.subscopes {
			if !utf8.ValidString(scope) || strings.Contains(scope, `\`) {
				s.warnings = append(s.warnings, fmt.Sprintf("%q: its name is not UTF-8 or contains a backslash, so it is left out", scope))
				continue
			}
			below = append(below, &projectDir{scope: scope, rules: d.rules, git: d.git, unruled: d.unruled})
		}
	}
	return below
}

// keep decides which directories qualify and which are kept. A directory that could
// not be read is kept so that its entry can say so. Since the directories are still
// ordered by level, going backwards decides children before their parent.
func (s *scan) keep() {
	byScope := make(map[string]*projectDir, len(s.directories))
	for _, d := range s.directories {
		byScope[d.scope] = d
		d.qualifies = len(d.sources) > 0 || d.unread != nil
		d.kept = d.unread != nil || d.qualifies && (s.config.MinTokens <= 0 || d.tokens() >= s.config.MinTokens)
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
