package convert

import (
	"slices"
	"strings"
)

// dropped lists the elements that never contain text of the page itself.
var dropped = setOf("applet", "audio", "base", "button", "canvas", "clipboard-copy", "colgroup", "datalist",
	"embed", "frameset", "head", "iframe", "input", "link", "meta", "nav", "noembed", "noframes", "noscript",
	"object", "option", "param", "rp", "rustdoc-toolbar", "rustdoc-topbar", "script", "search", "select", "style",
	"svg", "template", "textarea", "title", "video")

// droppedRoles lists the roles of elements around the text of a page.
var droppedRoles = setOf("banner", "complementary", "contentinfo", "navigation", "search", "toolbar")

// droppedClasses lists the classes that generators give to elements around the text of a page.
var droppedClasses = setOf(
	// navigation
	"bottomNav", "breadcrumb", "breadcrumbs", "md-nav", "md-sidebar", "nav-bar", "navbar", "navfooter",
	"navheader", "navigation", "pagination", "pagination-nav", "prev-next-area", "related", "rst-breadcrumbs-buttons",
	"rst-footer-buttons", "sidebar-container", "sphinxsidebar", "subNav", "sub-nav", "theme-doc-breadcrumbs",
	"topNav", "top-nav", "wy-breadcrumbs", "wy-nav-side", "page-pagination", "prev-next-footer", "bd-sidebar",
	// tables of contents
	"bd-toc", "md-toc", "on-this-page", "page-toc", "pagetoc", "table-of-contents", "theme-doc-toc-desktop",
	"theme-doc-toc-mobile", "toc", "toc-drawer", "toc-menu", "tocwrapper",
	// tools and footers
	"clipboard", "copy-button", "copybtn", "edit-page", "edit-page-link", "edit-this-page",
	"feedback", "md-content__button", "md-footer", "md-source-file", "page-footer", "page-versions",
	"skip-link", "skip-nav", "skipNav", "theme-doc-footer", "theme-edit-this-page", "toolbar",
	"zeroclipboard", "rust-logo", "srclink", "source-link", "viewcode-link", "viewcode-back",
	"source_link", "collapse-toggle", "Source-link",
	"hideme", "notable-traits", "out-of-band", "test-arrow", "tooltip",
	// for screen readers, and numbers of lines
	"sr-only", "visually-hidden", "screen-reader-only", "screen-reader-text",
	"gutter", "lineno", "linenodiv", "linenos", "line-number", "line-numbers-rows", "src-line-numbers", "rouge-gutter",
	// indexes by Sphinx and DocBook
	"genindex-jumpbox", "genindextable", "indexdiv", "modindex-jumpbox",
	// running heads of manual pages
	"head-vol", "foot-date", "foot-os",
)

// droppedIDs lists the IDs that generators give to elements around the text of a page.
var droppedIDs = setOf("breadcrumbs", "copy-path", "edit-this-page", "footer", "navbar", "navigation", "page-footer",
	"rustdoc-toolbar", "sidebar", "skip-link", "table-of-contents", "toc", "toc-container", "top-nav")

// sectionClasses lists the classes of elements that are sections, so their IDs are anchors.
var sectionClasses = setOf("section", "chapter", "appendix", "preface", "refentry", "refsect1", "refsect2", "refsect3",
	"sect1", "sect2", "sect3", "sect4", "sect5", "sect6", "part", "book", "article")

// isDropped reports whether an element should be left out of the Markdown.
func isDropped(n *htmlElement) bool {
	if dropped[n.name] {
		return true
	}
	if len(n.attrs) == 0 {
		return n.name == "footer" && !n.isIn(isQuote)
	}
	role := n.attr("role")
	switch {
	case isHidden(n, role), droppedRoles[role], n.hasClass(droppedClasses):
		return n.name != "body" && n.name != "html" && n.name != "main"
	case droppedIDs[n.attr("id")]: // a section can have such a name, too
		return n.name != "section" && !headings[n.name] && !n.hasClass(sectionClasses)
	case n.name == "a":
		return n.isClass("src") // rustdoc
	case n.name == "div":
		return n.isClass("contents") && n.isClass("topic") // docutils
	case n.name == "footer":
		return !n.isIn(isQuote)
	case n.name == "table": // the running head of a manual page by mandoc
		return n.isClass("head") || n.isClass("foot")
	}
	return false
}

func isQuote(n *htmlElement) bool { return n.name == "blockquote" }

// isHidden reports whether browsers hide an element. The panels of tabs don't count: they are
// hidden until a reader selects them, but they contain text of the page.
func isHidden(n *htmlElement, role string) bool {
	if n.attr("aria-hidden") == "true" {
		return true
	}
	if n.hasAttr("hidden") && n.attr("hidden") != "until-found" && role != "tabpanel" {
		return true
	}
	style := n.attr("style")
	if style == "" || role == "tabpanel" {
		return false
	}
	style = strings.ToLower(strings.ReplaceAll(style, " ", ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// A contentPlace describes an element that can contain the text of a page.
type contentPlace struct {
	name, key, value string // the value is that of the attribute, or one of its words
}

// places lists where generators put the text of a page, best first.
var places = []contentPlace{
	{"main", "", ""},
	{"", "role", "main"},
	{"", "itemprop", "articleBody"},
	{"article", "", ""},
	{"div", "class", "body"},               // Sphinx
	{"section", "id", "main-content"},      // rustdoc
	{"div", "id", "main-content"},          // rustdoc, Confluence
	{"div", "class", "contentContainer"},   // Javadoc before 11
	{"div", "class", "manual-text"},        // mandoc
	{"div", "class", "markdown-body"},      // GitHub
	{"div", "class", "md-content"},         // MkDocs
	{"div", "class", "theme-doc-markdown"}, // Docusaurus
	{"div", "class", "contents"},           // Doxygen
	{"div", "class", "refentry"},           // DocBook
	{"div", "class", "chapter"},            // DocBook
	{"div", "class", "mw-parser-output"},   // MediaWiki
	{"body", "", ""},
}

// articlePlace is the index of articles in places.
const articlePlace = 3

func (p contentPlace) matches(n *htmlElement) bool {
	if p.key == "" {
		return p.name == n.name
	}
	return (p.name == "" || p.name == n.name) && slices.Contains(strings.Fields(n.attr(p.key)), p.value)
}

// contentOf returns the element with the text of a page. A place only counts if a single element
// there contains text. For example, if a page contains two articles, it is a list of articles.
func contentOf(root *htmlElement) *htmlElement {
	found := make([][]*htmlElement, len(places))
	root.walk(func(n *htmlElement) bool {
		for i, p := range places {
			if n.name != "" && p.matches(n) {
				found[i] = append(found[i], n)
			}
		}
		return true
	})
	for i, nodes := range found {
		if n := onlyText(nodes); n != nil {
			return narrow(n, found[articlePlace])
		}
		if len(nodes) > 0 && places[i].name == "body" {
			return nodes[0]
		}
	}
	return root
}

// onlyText returns the only node that contains text. It returns nil if several do, except for nodes
// inside of the first.
func onlyText(nodes []*htmlElement) (only *htmlElement) {
	for _, n := range nodes {
		switch {
		case only != nil && n.isIn(func(p *htmlElement) bool { return p == only }):
		case textSize(n) == 0:
		case only != nil:
			return nil
		default:
			only = n
		}
	}
	return only
}

// narrow returns the only article in a node if the article contains most of its text, because
// themes put tools and navigation around articles. Otherwise, it returns the node.
func narrow(n *htmlElement, articles []*htmlElement) *htmlElement {
	var in []*htmlElement
	for _, article := range articles {
		if article != n && article.isIn(func(p *htmlElement) bool { return p == n }) {
			in = append(in, article)
		}
	}
	if only := onlyText(in); only != nil && 2*textSize(only) > textSize(n) {
		return only
	}
	return n
}

// textSize returns how many bytes of text a node contains, without white space.
func textSize(n *htmlElement) (size int) {
	count := func(n *htmlElement) bool {
		for text := range strings.FieldsSeq(n.text) {
			size += len(text)
		}
		return true
	}
	count(n)
	n.walk(count)
	return size
}

const (
	// maxLinks is the most links of a page with hardly any other text. Larger pages are indexes,
	// which would compete with the pages that they list.
	maxLinks = 2000

	// linkShare is how much of an index is the text of links, in percent.
	linkShare = 95
)

// isIndex reports whether a page is only a long list of links.
func isIndex(main *htmlElement) bool {
	links, size := 0, 0
	main.walk(func(n *htmlElement) bool {
		isLink := n.name == "a" && n.hasAttr("href")
		if isLink {
			links++
			size += textSize(n)
		}
		return !isLink
	})
	return links > maxLinks && 100*size >= linkShare*textSize(main)
}
