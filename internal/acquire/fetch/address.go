package fetch

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// An AddressError is returned for the address of a part of a repository, as browsers and other
// programs write it.
type AddressError struct {
	Address string
	Origin  Origin // what it probably means
}

func (e *AddressError) Error() string {
	text := fmt.Sprintf("%q is the address of a part of a repository: write git: %s", e.Address, e.Origin.Git)
	if e.Origin.Ref != "" {
		text += ", ref: " + e.Origin.Ref
	}
	if e.Origin.Dir != "" {
		text += ", dir: " + e.Origin.Dir
	}
	return text
}

// withRef matches a URL with a ref after it, as other programs write it: #REF, #REF:DIR or @REF.
var withRef = lazy.Regexp(`^(\w+://[^/]+/.+?)(?:#([^:]+)(?::(.+))?|@([^/@:#]+))$`)

// checkAddress fails with an [AddressError] if a URL is that of a page in a browser, or contains a
// ref.
func checkAddress(text string) error {
	if u, err := url.Parse(text); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		if origin, ok := fromBrowser(u); ok {
			return &AddressError{text, origin}
		}
	}
	if m := withRef().FindStringSubmatch(text); m != nil {
		return &AddressError{text, Origin{Git: m[1], Ref: m[2] + m[4], Dir: m[3]}}
	}
	return nil
}

// hostedPage matches the path of a page of a repository on GitHub, Forgejo, Bitbucket, SourceHut
// and, with nested groups, GitLab: that of the repository, the kind of page, the ref, and the path
// in the repository.
var hostedPage = lazy.Regexp(`^(?:(/[^/]+/[^/]+)|(/.+)/-)/(blob|raw|blame|edit|tree|commits?|tags|branch|releases/tag|` +
	`src/branch|src/tag|src/commit|src)/([^/]+)(?:/item)?(?:/(.+?))?/?$`)

// fromBrowser reads the address of a page of a hosted repository, such as
// https://github.com/OWNER/NAME/tree/REF/DIR.
func fromBrowser(u *url.URL) (o Origin, ok bool) {
	m := hostedPage().FindStringSubmatch(u.Path)
	if m == nil || strings.HasSuffix(u.Path, ".git") {
		return o, false
	}
	kind, ref, dir := m[3], m[4], m[5]
	isFile := slices.Contains([]string{"blob", "raw", "blame", "edit"}, kind) || strings.HasPrefix(kind, "src") && path.Ext(dir) != ""
	if isFile {
		dir = strings.TrimPrefix(path.Dir("/"+dir), "/")
	}
	repository := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: m[1] + m[2]}
	return Origin{Git: repository.String(), Ref: ref, Dir: dir}, true
}
