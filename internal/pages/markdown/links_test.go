package markdown_test

import (
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// FuzzLinks checks that links are found in any text, and where they are.
func FuzzLinks(f *testing.F) {
	f.Add("# A {#b}\n\n[x](<y> 'z') [a][b] ![i](j)\n\n[b]: c\n\n<a href=\"d\" id=e>f</a> <!--#g--> {: #h}\n", false)
	f.Add("<Link to=\"a\" />\n\n{/* b */}\n\n[c]({d})\n", true)
	f.Add("[x](\\(a&amp;b\\))\n[[[[[](((((\n", false)
	f.Fuzz(func(t *testing.T, text string, isMDX bool) {
		parse := markdown.Parse
		if isMDX {
			parse = markdown.ParseMDX
		}
		links, anchors := parse([]byte(text)).Links([]byte(text))
		last := 0
		for _, link := range links {
			if link.Start < last || link.Start >= len(text) || link.Target == "" {
				t.Fatalf("%q: got the link %q at %d, after one at %d", text, link.Target, link.Start, last)
			}
			last = link.Start
			if first := link.Target[:1]; !strings.ContainsAny(text[link.Start:link.Start+1], first+`\&`) && text[link.Start] < 0x80 && text[link.Start] != ' ' {
				t.Fatalf("%q: the link %q doesn't start at %d", text, link.Target, link.Start)
			}
		}
		for _, anchor := range anchors {
			if anchor == "" {
				t.Fatalf("%q: got an empty anchor", text)
			}
		}
	})
}
