package targets

import (
	"cmp"
	"context"
	"path"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/acquire/fetch"
	"github.com/contextcompiler/context/internal/base/files"
	"github.com/contextcompiler/context/pipeline"
)

// addFetched adds a repository or an archive, which `context fetch` pins and brings into the store.
func addFetched(text string) (Addition, error) {
	kind, address, _ := strings.Cut(text, ":")
	name, origin := strings.TrimSuffix(path.Base(address), ".git"), fetch.Origin{Git: address}
	if kind == "archive" {
		name, _, _ = strings.Cut(path.Base(address), ".")
		origin = fetch.Origin{Archive: address}
	}
	return Addition{Name: name, Fields: []KeyValue{{kind, quoted(address)}}}, origin.Check()
}

// readFetched keeps the mount of a pinned source, which is located in the store when a build
// starts.
func (r *nodeReader) readFetched(given keyNodes, s *declaredSource) error {
	err := cmp.Or(
		r.value(given, "git", r.text(&s.origin.Git)), r.value(given, "archive", r.text(&s.origin.Archive)),
		r.value(given, "ref", r.text(&s.origin.Ref)), r.value(given, "dir", r.text(&s.origin.Dir)),
	)
	if err != nil {
		return err
	}
	origin := s.origin
	if err := origin.Check(); err != nil {
		return r.errorf(cmp.Or(given["git"], given["archive"]), "%w", err)
	}
	s.Dir = origin.String()
	lock, environment := LockPath(r.path), r.environment
	s.Locate = func(_ context.Context, m pipeline.Mount) (pipeline.Mount, error) {
		pin, err := pinOf[fetch.Pin](lock, origin)
		if err != nil {
			return m, err
		}
		entry, err := environment.Store.Find(pin.Key(), environment.Now)
		if err != nil {
			return m, err
		}
		if entry == "" {
			return m, fault.Errorf(fault.IO, "%s %w: %s is not in %s", origin, ErrNotFetched, pin.Key(), environment.Store.Dir)
		}
		m.Dir = pin.Pages(entry)
		if path, err := files.Absolute(lock); err == nil {
			m.Watch = []string{path}
		}
		return m, nil
	}
	return nil
}
