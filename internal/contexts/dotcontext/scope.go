package dotcontext

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

var errOutside = errors.New("Invalid scope: path traversal detected")

// slashed returns a scope as answers print it: with slashes, in UTF-8.
func slashed(scope string) string { return asUTF8(strings.ReplaceAll(scope, `\`, "/")) }

// lexicalScope returns the canonical form of a scope: a slash path below root, or
// "." for the root itself. An absolute path may be used if it is below the root.
// Since it looks at no file, [Project.realScope] must still check symlinks.
func lexicalScope(root, scope string) (string, error) {
	named := filepath.FromSlash(slashed(scope))
	if !filepath.IsAbs(named) {
		named = filepath.Join(root, named)
	}
	below, err := filepath.Rel(root, filepath.Clean(named))
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", errOutside
	}
	return filepath.ToSlash(below), nil
}

// realScope follows the symlinks of a scope in canonical form and returns their
// target in the root. It fails with [errOutside] for a target elsewhere, and with
// the system's error if the target is missing.
func (p *Project) realScope(scope string) (string, error) {
	real, err := filepath.EvalSymlinks(p.onDisk(scope))
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(p.real, real)
	if err != nil || !filepath.IsLocal(below) {
		return "", errOutside
	}
	return filepath.ToSlash(below), nil
}

// ancestors returns the scopes above a scope in canonical form, from the root down.
func ancestors(scope string) (above []string) {
	for scope != "." {
		scope = path.Dir(scope)
		above = append(above, scope)
	}
	slices.Reverse(above)
	return above
}
