package web

import (
	"errors"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func render(t testing.TB, text string) (string, error) {
	t.Helper()
	html, err := rendered([]byte(text), &linker{known: map[string]string{}})
	return string(html), err
}

// allowed are the elements and attributes of rendered texts.
var allowed = map[string]string{
	"p": "", "h3": "", "h4": "", "h5": "", "h6": "", "ul": "", "ol": "start", "li": "", "blockquote": "", "hr": "", "br": "",
	"pre": "class tabindex", "code": "", "em": "", "strong": "", "del": "", "a": "href rel", "span": "class title", "small": "",
	"div": "class tabindex", "table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
}

var (
	tag       = regexp.MustCompile(`^<(/?)([a-z0-9]+)((?: [a-z]+="[^"<>]*")*)(?: /)?>`)
	attribute = regexp.MustCompile(` ([a-z]+)="([^"<>]*)"`)
)

// checkInert fails unless a rendered text consists of balanced elements on the lists, text and
// harmless links.
func checkInert(rendered string) error {
	var open []string
	for rest := rendered; ; {
		at := strings.IndexAny(rest, "<>")
		if at < 0 {
			break
		}
		found := tag.FindStringSubmatch(rest[at:])
		if rest[at] == '>' || found == nil {
			return fmt.Errorf("no element of ours: %.60q", rest[at:])
		}
		rest = rest[at+len(found[0]):]
		name := found[2]
		attributes, isAllowed := allowed[name]
		if !isAllowed {
			return fmt.Errorf("element %s", found[0])
		}
		for _, a := range attribute.FindAllStringSubmatch(found[3], -1) {
			if !slices.Contains(strings.Fields(attributes), a[1]) {
				return fmt.Errorf("attribute in %s", found[0])
			}
			to, err := url.Parse(html.UnescapeString(a[2]))
			if a[1] == "href" && (err != nil || !slices.Contains([]string{"http", "https", "mailto"}, to.Scheme)) {
				return fmt.Errorf("link in %s", found[0])
			}
		}
		switch isEnd := found[1] != ""; {
		case name == "br" || name == "hr":
		case !isEnd:
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			return fmt.Errorf("%s ends %v", found[0], open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("elements stay open: %v", open)
	}
	return nil
}

// hostile are texts that would do something on a careless page.
var hostile = []string{
	"<script>alert(1)</script>", "a <script src=//evil.example></script> b", "<style>*{display:none}</style>", "<svg onload=alert(1)>",
	"<img src=x onerror=alert(1)>", "![a](https://evil.example/x.png)", `![a"onerror=x](x "t")`, "<iframe src=/session></iframe>",
	"<form action=//evil.example><button>Open</button></form>", `<meta http-equiv=refresh content="0;url=//evil.example">`, "<base href=//evil.example>",
	"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java&#x0a;script:alert(1))", "[x](&#106;avascript:alert(1))", "[x](\x01javascript:alert(1))",
	"[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)", "[x](file:///etc/passwd)", "[x](//evil.example/x)", "<javascript:alert(1)>", "<data:text/html,x>",
	"[x]: javascript:alert(1)\n\n[x]", `[x](http://a.example/"onmouseover="alert(1))`, `[x](http://a.example "t\" onclick=\"x")`, "<a@b.example>", "<http://a.example/?<>",
	"</div></article><h1>x</h1>", "<!-- x --><b>", "<![CDATA[x]]>", "<?php x ?>", "<!DOCTYPE x>", "# x {onclick=alert(1)}", "``` \"onclick=x\nx\n```", "[![a](javascript:x)](javascript:y)",
	"[a ![b [c](http://d.example)](e) f](http://g.example)", "| a |\n| :-: |\n| <td onclick=x> |", "- [ ] <input autofocus onfocus=x>", "---\n<script>: x\n---\n# T", "&lt;script&gt; &#60;script&#62;",
	"<scr\x00ipt>", "<a href='x' <b>", "~~<del onclick=x>~~", "`<script>`", "    <script>", "a<br onclick=x>b",
}

func TestHostileTextsRenderInert(t *testing.T) {
	for _, text := range hostile {
		got, err := render(t, text)
		if err := errors.Join(err, checkInert(got)); err != nil {
			t.Errorf("%q: %v in %s", text, err, got)
		}
	}
}

func TestLinksAndImages(t *testing.T) {
	for text, want := range map[string]string{
		"[x](https://a.example/?a=1&b)": `<p><a href="https://a.example/?a=1&amp;b" rel="noopener noreferrer nofollow">x</a></p>`,
		"<me@a.example>":                `<p><a href="mailto:me@a.example" rel="noopener noreferrer nofollow">me@a.example</a></p>`,
		"[x](javascript:alert(1))":      `<p><span class="dead" title="javascript:alert(1)">x</span></p>`,
		"![a cat](http://a.example/c)":  `<p><span class="image">a cat <small>(image: http://a.example/c)</small></span></p>`,
		"# T\n\n###### U":               "<h3>T</h3>\n<h6>U</h6>",
		"### T\n\n#### U":               "<h3>T</h3>\n<h4>U</h4>",
		"a <b>c</b>":                    "<p>a c</p>",
		"<div>\nx\n</div>":              `<pre class="html" tabindex="0"><code>&lt;div&gt;` + "\nx\n&lt;/div&gt;</code></pre>",
	} {
		if got, err := render(t, text); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%q: got %s and error %v, want %s", text, got, err, want)
		}
	}
}

// Each of these texts would take goldmark or a browser very long, or much memory.
func TestComplexTextsAreNotRendered(t *testing.T) {
	for name, text := range map[string]string{
		"size":     strings.Repeat("a", maxRendered+1),
		"cells":    "|" + strings.Repeat("a|", 3000) + "\n|" + strings.Repeat("-|", 3000) + "\n" + strings.Repeat("|\n", 3000),
		"quotes":   strings.Repeat(">", 20_000),
		"lists":    strings.Repeat("- ", 20_000),
		"brackets": strings.Repeat("![", 20_000),
		"emphasis": strings.Repeat("*a_b", 3000),
		"output":   strings.Repeat("a\n:-\n", 12_000),
	} {
		if got, err := render(t, text); !errors.Is(err, errTooComplex) {
			t.Errorf("%s: got %d bytes and error %v, want %v", name, len(got), err, errTooComplex)
		}
	}
}

func FuzzRenderedIsInert(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := render(t, text)
		if errors.Is(err, errTooComplex) {
			t.Skip("beyond a bound, so only the source is shown")
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := checkInert(got); err != nil {
			t.Errorf("%v in %s", err, got)
		}
	})
}
