package agent

import (
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
)

// A library is the caches that an answer is made from.
type library struct{ set *resolve.Set }

// pageOf reads the page of a hit.
func (l library) pageOf(hit resolve.Hit) (page, error) {
	for _, of := range l.set.Members() {
		if of.Name == hit.Member {
			return pageAt(of, hit.Page)
		}
	}
	panic("agent: a hit of no member")
}

// versions names the caches and their versions, as in "docs@3714a6418d58".
func (l library) versions() string {
	var all []string
	for _, of := range l.set.Members() {
		all = append(all, strings.TrimPrefix(of.Name+"@", "@")+of.Version().Stem())
	}
	return strings.Join(all, " ")
}

// notesOn says which words of the query no section has, and what stands for them.
func notesOn(ranked *resolve.Ranked, chosen int) (notes string) {
	var missing []string
	for _, t := range ranked.Terms() {
		switch {
		case len(t.Near) > 0:
			notes += fmt.Sprintf("no section has %s: taken for %s\n", quote(t.Text), words.Printable(strings.Join(t.Near, ", ")))
		case t.Sections == 0:
			missing = append(missing, quote(t.Text))
		}
	}
	if len(missing) > 0 {
		notes += "no section has " + strings.Join(missing, ", ") + "\n"
	}
	if chosen == 0 {
		notes += "nothing matches: try other words, or the outline\n"
	}
	return notes
}
