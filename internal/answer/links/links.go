// Package links finds broken links between the pages of a cache.
//
// Sites turn paths into URLs in many ways, so a link is good if any usual way leads to a page.
// Links to other sites and to files other than pages are not judged, and nothing is opened.
package links

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/selection"
	"github.com/contextcompiler/context/stages"
)

// A Review tells which links of a cache work.
type Review struct {
	Judged    int      `json:"judged"`     // links to pages of the cache, or to pages it should contain
	NotJudged int      `json:"not_judged"` // links to other sites, files or generated anchors
	Broken    []Broken `json:"broken"`     // by source, then by line
}

// Broken is a link that leads nowhere.
type Broken struct {
	Source  string `json:"source"`        // path of the page with the link
	Line    int    `json:"line"`          // from 1; 0 if the page was converted
	Target  string `json:"target"`        // as the page spells it
	Problem string `json:"problem"`       // [NoPage] or [NoAnchor]
	Near    string `json:"near,omitzero"` // the page with the same name, if there is just one
}

// The problems of links.
const (
	NoPage   = "no such page"
	NoAnchor = "no such anchor"
)

// A linkingPage keeps what judging needs of a page.
type linkingPage struct {
	source    string
	anchors   []uint64 // hashes of the anchors, sorted
	links     []pageLink
	names     []string // other paths of the page, from its front matter
	generated bool     // a site generator may add anchors
}

type pageLink struct {
	target string
	line   int
}

// Check reads the pages of a cache, jobs at once, and judges their links. exists reports whether a
// source that isn't in the cache is still a file, for example because it is excluded. It fails as
// [answers.EachDocument] does.
func Check(ctx context.Context, c *answers.Cache, jobs int, exists func(source string) bool) (Review, error) {
	seed := maphash.MakeSeed()
	pages, err := answers.EachDocument(ctx, c, selection.Filter{}, jobs, func(_ int, doc document.Document) (linkingPage, error) {
		return read(ctx, doc, seed)
	})
	if err != nil {
		return Review{}, err
	}
	s := newSite(pages, c.About().BaseURL, seed, exists)
	for n := range pages {
		if err := context.Cause(ctx); err != nil {
			return Review{}, err
		}
		for _, link := range pages[n].links {
			s.judge(n, link)
		}
	}
	return s.finish(), nil
}

func read(ctx context.Context, doc document.Document, seed maphash.Seed) (linkingPage, error) {
	found, anchors, err := stages.LinksOf(ctx, doc)
	if err != nil {
		return linkingPage{}, err
	}
	p := linkingPage{source: doc.Source, generated: generating().Match(doc.Content), names: namesOf(doc)}
	for _, anchor := range anchors {
		p.anchors = append(p.anchors, maphash.String(seed, comparable(anchor)))
	}
	slices.Sort(p.anchors)
	p.anchors = slices.Compact(p.anchors)
	line, at := 1, 0
	for _, link := range found {
		line += bytes.Count(doc.Content[at:link.Start], []byte("\n"))
		at = link.Start
		p.links = append(p.links, pageLink{link.Target, line})
	}
	if _, isConverted := doc.Metadata["converter"]; isConverted {
		for i := range p.links {
			p.links[i].line = 0
		}
	}
	return p, nil
}

// isOurs reports whether most links with the same first elements as a path lead to pages.
func (s *siteMap) isOurs(at string) bool {
	for _, root := range rootsOf(at) {
		if r := s.roots[root]; 2*r.found < r.all {
			return false
		}
	}
	return true
}

// finish judges the links from the root of the site, and sorts the broken links.
func (s *siteMap) finish() Review {
	for _, link := range s.rooted {
		if !s.isOurs(link.path) {
			s.review.NotJudged++ // they probably lead to another site on the same host
		} else {
			s.breaks(link.page, link.pageLink, NoPage, "/"+link.path)
		}
	}
	slices.SortStableFunc(s.review.Broken, func(a, b Broken) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Target, b.Target))
	})
	return s.review
}
