package registry

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/opencontainers/go-digest"
	"oras.land/oras-go/v2/registry"
)

// An ArtifactRef names a cache in a registry or in a directory with an OCI layout.
type ArtifactRef struct {
	Layout string        // directory of the layout; "" means a registry
	Host   string        // of the registry, with its port if it isn't the default
	Name   string        // of the repository
	Tag    string        // "" if the reference only contains a digest
	Digest digest.Digest // of the manifest; "" means the tag decides
}

const (
	registryScheme = "oci://"
	layoutScheme   = "oci-layout:"
)

// IsRef reports whether a text can only be an ArtifactRef, not a path.
func IsRef(text string) bool {
	return strings.HasPrefix(text, registryScheme) || strings.HasPrefix(text, layoutScheme)
}

// ParseRef parses oci://HOST/NAME:TAG or oci-layout:DIR:TAG. Both may contain
// @sha256:HEX in addition to the tag or instead of it.
func ParseRef(text string) (r ArtifactRef, err error) {
	if rest, ok := strings.CutPrefix(text, registryScheme); ok {
		return parseRemote(rest)
	}
	rest, ok := strings.CutPrefix(text, layoutScheme)
	if !ok {
		err = fmt.Errorf("expected oci://HOST/NAME:TAG or oci-layout:DIR:TAG, got %q", text)
		if like := Meant(text); like != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, like)
		}
		return r, err
	}
	if rest, r.Digest, err = cutDigest(rest); err != nil {
		return r, err
	}
	r.Layout = rest
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.ContainsAny(rest[i:], `/\`) {
		r.Layout, r.Tag = rest[:i], rest[i+1:]
	}
	if r.Layout == "" {
		return r, errors.New("expected oci-layout:DIR:TAG, got no directory")
	}
	return r, r.checkTag()
}

// Meant returns the reference that somebody may have meant by a text without a scheme of ours, or
// "".
func Meant(text string) string {
	for _, scheme := range []string{"docker://", "https://", "http://", "oci:"} {
		text = strings.TrimPrefix(text, scheme)
	}
	host, _, hasName := strings.Cut(text, "/")
	if hasName && strings.ContainsAny(strings.TrimLeft(host, "."), ".:") || host == "localhost" {
		if _, err := parseRemote(text); err == nil {
			return registryScheme + text
		}
	}
	if _, err := ParseRef(layoutScheme + text); err == nil && host != "" && !strings.Contains(text, "://") {
		return layoutScheme + text
	}
	return ""
}

func parseRemote(rest string) (r ArtifactRef, err error) {
	host, path, _ := strings.Cut(rest, "/")
	if strings.Contains(host, "@") {
		return r, errors.New("the reference contains a user name or a password: log in with `docker login` instead, and leave it out")
	}
	if path, r.Digest, err = cutDigest(path); err != nil {
		return r, err
	}
	r.Host = host
	r.Name, r.Tag, _ = strings.Cut(path, ":")
	if strings.HasSuffix(path, ":") {
		return r, fmt.Errorf("the tag of %s is empty", r.Name)
	}
	parsed := registry.Reference{Registry: r.Host, Repository: r.Name}
	switch {
	case parsed.ValidateRegistry() != nil:
		return r, fmt.Errorf("expected oci://HOST/NAME:TAG, got the host %q", r.Host)
	case parsed.ValidateRepository() != nil:
		lower := r
		lower.Name = strings.ToLower(r.Name)
		if (registry.Reference{Registry: r.Host, Repository: lower.Name}).ValidateRepository() == nil {
			return r, fmt.Errorf("the name %q contains capital letters, which registries refuse: use lower case: %s", r.Name, lower)
		}
		return r, fmt.Errorf("expected oci://HOST/NAME:TAG with a name in lower case, got the name %q", r.Name)
	}
	return r, r.checkTag()
}

// cutDigest cuts @sha256:HEX from the end of a reference.
func cutDigest(text string) (before string, d digest.Digest, err error) {
	i := strings.LastIndexByte(text, '@')
	if i < 0 || !strings.Contains(text[i:], ":") { // a directory can contain an @
		return text, "", nil
	}
	d = digest.Digest(text[i+1:])
	if d.Validate() != nil || d.Algorithm() != digest.SHA256 {
		return text, "", fmt.Errorf("expected a digest such as sha256:0123..., got %q", text[i+1:])
	}
	return text[:i], d, nil
}

func (r ArtifactRef) checkTag() error {
	parsed := registry.Reference{Reference: r.Tag}
	switch {
	case r.Tag == "" && r.Digest == "":
		return fmt.Errorf("missing the tag or the digest: write %s:TAG or %s@sha256:HEX", r, r)
	case r.Tag != "" && parsed.ValidateReferenceAsTag() != nil:
		return fmt.Errorf("%q is not a tag: use at most 128 letters, digits, \"_\", \".\" and \"-\"", r.Tag)
	}
	return nil
}

// String returns the text that [ParseRef] parses.
func (r ArtifactRef) String() string {
	text := registryScheme + r.Host + "/" + r.Name
	if r.Layout != "" {
		text = layoutScheme + r.Layout
	}
	if r.Tag != "" {
		text += ":" + r.Tag
	}
	if r.Digest != "" {
		text += "@" + r.Digest.String()
	}
	return text
}

// At returns the reference with a digest.
func (r ArtifactRef) At(d digest.Digest) ArtifactRef {
	r.Digest = d
	return r
}

// isLoopback reports whether a host, with or without a port, can only be this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
