package dotcontext

import (
	"cmp"
	"path"

	"github.com/contextcompiler/context/internal/ignore"
)

// gitExclude is the ignore file that a clone does not get. Every .gitignore
// overrules it.
const gitExclude = ".git/info/exclude"

// gitRules returns the rules of git that hold in all of the project.
func (p *Project) gitRules() (ignore.Rules, error) {
	text, err := p.readIgnore(gitExclude)
	return ignore.Rules{}.With(".", text), err
}

// gitRulesAbove returns the rules of git that hold in the directory at scope
// from above: its own .gitignore adds to them.
func (p *Project) gitRulesAbove(scope string) (ignore.Rules, error) {
	rules, err := p.gitRules()
	for _, above := range ancestors(scope) {
		text, cause := p.readIgnore(path.Join(above, gitIgnore))
		rules, err = rules.With(above, text), cmp.Or(err, cause)
	}
	return rules, err
}

// readIgnore returns the text of an ignore file, which is empty if there is none.
func (p *Project) readIgnore(at string) ([]byte, error) {
	found, err := p.root.Lstat(at)
	if err == nil && found.Mode().IsRegular() {
		return p.read(at)
	}
	if isAbsence(err) {
		return nil, nil
	}
	return nil, asUnread(at, err)
}
