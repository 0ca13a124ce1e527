package web

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	slashpath "path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/pages/markdown"
)

// The bounds of a rendered text. Larger texts are shown as source only. Sections rarely exceed
// 4,000 bytes, but a page can contain a single block of 16 MiB.
const (
	maxRendered = 64 << 10
	maxCells    = 50_000 // of tables; goldmark fills short rows up to the number of columns
	maxNested   = 64     // levels of quotes, lists and emphasis
	maxOpeners  = 4_000  // brackets, stars and so on, which goldmark pairs in quadratic time
	maxHTML     = 512 << 10
	maxLinks    = 1_000 // links for which the page looks for a target
)

var errTooComplex = errors.New("too complex to render")

// rendered returns a text as HTML. It fails with [errTooComplex] beyond the bounds. The HTML
// contains none of the text's own HTML, no images, and only links that go to http, https, mailto
// or another page of the caches.
func rendered(content []byte, to *linker) (template.HTML, error) {
	if len(content) > maxRendered || isDense(content) {
		return "", errTooComplex
	}
	_, body, _ := markdown.SplitFrontMatter(content)
	out := &boundedBuffer{}
	if body > 0 {
		fmt.Fprintf(out, "<pre tabindex=\"0\"><code>%s</code></pre>\n", util.EscapeHTML(content[:body]))
	}
	m := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(inert{to}, 1))),
	)
	tree := m.Parser().Parse(text.NewReader(content[body:]))
	deepest, highest := shapeOf(tree)
	if deepest > maxNested {
		return "", errTooComplex
	}
	to.headings = 3 - highest // below the two levels of the page itself
	if err := m.Renderer().Render(out, content[body:], tree); err != nil {
		return "", err
	}
	return template.HTML(out.text), nil
}

// isDense reports whether goldmark would need too much time or memory for a text.
func isDense(content []byte) bool {
	columns, lines, nested, openers := 0, 1, 0, 0
	for line := range bytes.Lines(content) {
		lines++
		columns = max(columns, bytes.Count(line, []byte("|")))
		before := len(line) - len(bytes.TrimLeft(line, " \t>-+*0123456789.)"))
		nested = max(nested, bytes.Count(line[:before], []byte(">")), before/2)
		for _, opener := range []string{"[", "*", "_", "~", "<", "`"} {
			openers += bytes.Count(line, []byte(opener))
		}
	}
	return columns*lines > maxCells || nested > maxNested || openers > maxOpeners
}

// shapeOf returns how deep a tree is, and the level of its highest headings.
func shapeOf(tree ast.Node) (deepest, highest int) {
	depth := 0
	highest = 6
	ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		if h, isHeading := n.(*ast.Heading); isHeading {
			highest = min(highest, h.Level)
		}
		deepest = max(deepest, depth)
		depth++
		return ast.WalkContinue, nil
	})
	return deepest, highest
}

// A boundedBuffer fails beyond maxHTML bytes.
type boundedBuffer struct{ text []byte }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > maxHTML {
		return 0, errTooComplex
	}
	b.text = append(b.text, p...)
	return len(p), nil
}

// inert renders what goldmark would render as links, images and HTML.
type inert struct{ to *linker }

// RegisterFuncs registers the renderers of nodes.
func (r inert) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, r.heading)
	reg.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		r.link(w, string(n.(*ast.Link).Destination), entering)
		return ast.WalkContinue, nil
	})
	reg.Register(ast.KindAutoLink, r.autoLink)
	reg.Register(ast.KindImage, image)
	reg.Register(ast.KindRawHTML, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkSkipChildren, nil // the text between tags stays
	})
	reg.Register(ast.KindHTMLBlock, block)
	reg.Register(ast.KindCodeBlock, block)
	reg.Register(ast.KindFencedCodeBlock, block)
	reg.Register(tables.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		w.WriteString(either(entering, "<div class=\"table\" tabindex=\"0\"><table>\n", "</table></div>\n"))
		return ast.WalkContinue, nil
	})
}

func either(isFirst bool, first, second string) string {
	if isFirst {
		return first
	}
	return second
}

func (r inert) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	fmt.Fprintf(w, either(entering, "<h%d>", "</h%d>\n"), min(n.(*ast.Heading).Level+r.to.headings, 6))
	return ast.WalkContinue, nil
}

func (r inert) link(w util.BufWriter, destination string, entering bool) {
	href := r.to.href(destination)
	switch {
	case !entering && href == "":
		w.WriteString("</span>")
	case !entering:
		w.WriteString("</a>")
	case href == "":
		fmt.Fprintf(w, `<span class="dead" title="%s">`, shortAddress(destination))
	default:
		fmt.Fprintf(w, `<a href="%s" rel="noopener noreferrer nofollow">`, template.HTMLEscapeString(href))
	}
}

func (r inert) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		link := n.(*ast.AutoLink)
		destination := string(link.URL(source))
		if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(destination), "mailto:") {
			destination = "mailto:" + destination
		}
		r.link(w, destination, true)
		w.Write(util.EscapeHTML(link.Label(source)))
		r.link(w, destination, false)
	}
	return ast.WalkContinue, nil
}

// image renders the alternative text of an image and its address, because the page loads nothing.
func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(`<span class="image">`)
	} else {
		fmt.Fprintf(w, ` <small>(image: %s)</small></span>`, shortAddress(string(n.(*ast.Image).Destination)))
	}
	return ast.WalkContinue, nil
}

// shortAddress returns the beginning of an address as HTML, because a data: address can contain a
// whole picture.
func shortAddress(address string) string {
	const longest = 200
	if len(address) > longest {
		address = strings.ToValidUTF8(address[:longest], "") + "…"
	}
	return template.HTMLEscapeString(address)
}

// block renders a block of code or HTML as text.
func block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(either(n.Kind() == ast.KindHTMLBlock, `<pre class="html" tabindex="0"><code>`, `<pre tabindex="0"><code>`))
		for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			w.Write(util.EscapeHTML(line.Value(source)))
		}
		if html, isHTML := n.(*ast.HTMLBlock); isHTML && html.HasClosure() {
			w.Write(util.EscapeHTML(html.ClosureLine.Value(source)))
		}
	} else {
		w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}

// A linker finds the targets of links in a text.
type linker struct {
	of     answers.Member // the cache of the text; the zero Member finds no pages
	source string         // path of the text's page
	read   func(reference string) string
	known  map[string]string // addresses by destination

	headings int // what to add to the levels of headings
}

// href returns the address for a link, or "" if the link leads nowhere or isn't safe.
func (l *linker) href(destination string) string {
	address, isKnown := l.known[destination]
	if !isKnown && len(l.known) < maxLinks {
		address = l.find(destination)
		l.known[destination] = address
	}
	return address
}

func (l *linker) find(destination string) string {
	to, err := url.Parse(strings.TrimSpace(destination))
	if err != nil {
		return ""
	}
	switch scheme := strings.ToLower(to.Scheme); {
	case (scheme == "http" || scheme == "https") && to.Host != "" || scheme == "mailto":
		return to.String()
	case scheme != "" || to.Host != "" || l.of.Cache == nil:
		return ""
	}
	path := slashpath.Join(slashpath.Dir(l.source), to.Path)
	switch {
	case to.Path == "":
		path = l.source
	case strings.HasPrefix(to.Path, "/"):
		path = strings.TrimPrefix(slashpath.Clean(to.Path), "/")
	}
	for _, end := range []string{"", ".md", "/index.md", "/_index.md", "/readme.md"} {
		id := document.IDOf(path + end)
		if _, err := l.of.NumberOf(id); err != nil {
			continue
		}
		reference := string(id)
		if l.of.Name != "" {
			reference = l.of.Name + ":" + reference
		}
		if to.Fragment != "" {
			reference += "#" + to.Fragment
		}
		return l.read(reference)
	}
	return ""
}
