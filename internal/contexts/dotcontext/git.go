package dotcontext

import (
	"cmp"
	"os"
	"path"
	"path/filepath"

	"github.com/contextcompiler/context/internal/base/ignore"
)

// The ignore files. Git's apply in every directory, ours only at the root. Clones
// do not include gitExclude, and every .gitignore overrules it.
const (
	gitExclude    = ".git/info/exclude"
	gitIgnore     = ".gitignore"
	contextIgnore = ".contextignore"
)

// gitRules returns git's rules for the whole project.
func (p *Project) gitRules() (ignore.Rules, error) {
	text, err := p.readIgnore(gitExclude)
	return ignore.Rules{}.With(".", text), err
}

// gitRulesAbove returns git's rules for the directory at scope, without the rules
// of its own .gitignore.
func (p *Project) gitRulesAbove(scope string) (ignore.Rules, error) {
	rules, err := p.gitRules()
	for _, above := range ancestors(scope) {
		text, cause := p.readIgnore(path.Join(above, gitIgnore))
		rules, err = rules.With(above, text), cmp.Or(err, cause)
	}
	return rules, err
}

// readIgnore returns the text of an ignore file, or nil if it is missing. Only a
// regular file counts, since git does not follow a symlink there.
func (p *Project) readIgnore(at string) (text []byte, err error) {
	found, err := p.root.Lstat(at)
	if err == nil && found.Mode().IsRegular() {
		text, err = p.read(at)
	}
	if err == nil || isAbsence(err) {
		return text, nil
	}
	return nil, named(at, err)
}

// isInGit reports whether the project is in a working tree of git, which may begin
// above its root. In worktrees and submodules, .git is a file instead of a
// directory.
func (p *Project) isInGit() bool {
	for dir, below := p.real, ""; dir != below; dir, below = filepath.Dir(dir), dir {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
	}
	return false
}
