package dotcontext

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

var wellFormedFingerprint = regexp.MustCompile(`^[0-9a-f]{8}$`)

// discrepancies returns what a valid context says that its directory does not
// bear out, sorted by line.
func (p *Project) discrepancies(d *directory, described *contextfile.Context) (problems []contextfile.Problem) {
	for _, claim := range described.Claims() {
		if message, fix := p.refute(d, claim); message != "" {
			problems = append(problems, contextfile.Problem{Line: claim.Line, Field: claim.Field, Message: message, Fix: fix})
		}
	}
	slices.SortStableFunc(problems, func(a, b contextfile.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}

// refute says what is wrong with a claim; the message is "" if nothing is.
func (p *Project) refute(d *directory, claim contextfile.Claim) (message, fix string) {
	switch claim.Kind {
	case "scope":
		if claim.Text != d.scope {
			return fmt.Sprintf("%q is another directory", claim.Text), fmt.Sprintf("write %q", d.scope)
		}
	case "last_updated":
		if _, err := time.Parse(time.RFC3339, claim.Text); err != nil {
			return fmt.Sprintf("%q is no time", claim.Text), "write it as 2006-01-02T15:04:05Z"
		}
	case "fingerprint":
		if !wellFormedFingerprint.MatchString(claim.Text) {
			return fmt.Sprintf("%q is no fingerprint", claim.Text), "rehash the directory"
		}
	case "derived_fields":
		if !contextfile.IsField(claim.Text) {
			return fmt.Sprintf("there is no field %q", claim.Text), "correct or remove the entry"
		}
	case "files.name", "subdirectories.name":
		return p.absent(path.Join(d.scope, claim.Text), claim.Text)
	case "structure.path":
		return p.absent(claim.Text, claim.Text)
	}
	return "", ""
}

// absent says that there is nothing at a path below the root.
func (p *Project) absent(at, name string) (message, fix string) {
	if fs.ValidPath(path.Clean(at)) {
		if _, err := p.root.Lstat(path.Clean(at)); err == nil {
			return "", ""
		}
	}
	return fmt.Sprintf("there is no %q", name), "correct the name or remove the entry"
}
