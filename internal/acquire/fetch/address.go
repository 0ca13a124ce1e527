package fetch

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
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

// checkAddress fails with an [AddressError] unless a URL names a whole repository.
func checkAddress(text string) error {
	base, fragment, hasFragment := strings.Cut(text, "#")
	if strings.HasPrefix(text, "file:") {
		return nil
	}
	u, err := url.Parse(base)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		origin, ok := fromBrowser(u)
		if !ok {
			origin, ok = fromQuery(*u)
		}
		if ok {
			return &AddressError{text, origin}
		}
	}
	origin := Origin{Git: base}
	host, name := path.Split(base)
	if repository, ref, ok := strings.Cut(name, "@"); ok && repository != "" && !strings.Contains(name, ":") && strings.Contains(host, "/") {
		origin.Git, origin.Ref = host+repository, ref
	}
	if hasFragment {
		origin.Ref, origin.Dir, _ = strings.Cut(fragment, ":") // as Docker writes it
	}
	if origin.Git == text {
		return nil
	}
	return &AddressError{text, origin}
}

// fromBrowser reads the address of a page of a hosted repository, such as
// https://github.com/OWNER/NAME/tree/REF/DIR.
func fromBrowser(u *url.URL) (o Origin, ok bool) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	at, skip := slices.Index(parts, "-"), 1 // GitLab, where groups can be nested
	if at < 0 {
		at, skip = 2, 0
	}
	if len(parts) < at+skip+2 || strings.HasSuffix(parts[len(parts)-1], ".git") {
		return o, false
	}
	kind, rest := parts[at+skip], parts[at+skip+1:]
	isFile := false
	switch {
	case slices.Contains([]string{"blob", "raw", "blame", "edit"}, kind):
		isFile = true
	case slices.Contains([]string{"tree", "commit", "commits", "tags", "branch"}, kind):
	case kind == "releases" && rest[0] == "tag" && len(rest) > 1:
		rest = []string{strings.Join(rest[1:], "/")}
	case kind == "src" && len(rest) > 1 && slices.Contains([]string{"branch", "tag", "commit"}, rest[0]): // Forgejo
		rest = rest[1:]
		isFile = path.Ext(rest[len(rest)-1]) != "" && len(rest) > 1
	case kind == "src" && u.Hostname() == "bitbucket.org":
		isFile = path.Ext(rest[len(rest)-1]) != "" && len(rest) > 1
	default:
		return o, false
	}
	if len(rest) > 1 && rest[1] == "item" { // SourceHut
		rest = slices.Delete(rest, 1, 2)
	}
	o.Ref, o.Dir = rest[0], strings.Join(rest[1:], "/")
	if isFile {
		o.Dir = strings.TrimPrefix(path.Dir("/"+o.Dir), "/")
	}
	o.Git = (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: "/" + strings.Join(parts[:at], "/")}).String()
	return o, true
}

// fromQuery reads an address whose query names the ref, or a tab of the page.
func fromQuery(u url.URL) (o Origin, ok bool) {
	query := u.Query()
	u.RawQuery = ""
	for _, key := range []string{"ref", "h", "at", "tab"} {
		if !query.Has(key) {
			continue
		}
		if key != "tab" {
			o.Ref = query.Get(key)
		}
		o.Git = u.String()
		return o, true
	}
	return o, false
}
