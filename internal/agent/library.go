package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/internal/words"
	"github.com/contextcompiler/context/resolve"
	"github.com/contextcompiler/context/selection"
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
func notesOn(query string, ranked *resolve.Ranked, chosen int) (notes string) {
	var missing []string
	typed := typedWords(query)
	for _, t := range ranked.Terms() {
		word := quote(cmp.Or(typed[t.Text], t.Text))
		switch {
		case len(t.Near) > 0:
			notes += fmt.Sprintf("no section has %s: taken for words like %s\n", word, words.Printable(strings.Join(t.Near, ", ")))
		case t.Sections == 0 && !slices.Contains(missing, word):
			missing = append(missing, word)
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

// typedWords returns the words of a query by their terms, which are stems.
func typedWords(query string) map[string]string {
	typed := map[string]string{}
	for _, word := range strings.Fields(query) {
		parsed, err := selection.ParseQuery(word)
		if err != nil {
			continue
		}
		for _, term := range ranking.ParseQuery(parsed).Terms {
			typed[term.Text] = strings.TrimFunc(word, unicode.IsPunct)
		}
	}
	return typed
}
