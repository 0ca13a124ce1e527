package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
	"github.com/contextcompiler/context/selection"
)

const (
	listShare    = 3   // the lists of pages can take a third of an answer if not everything fits
	restShare    = 4   // the list of what does not fit can take a quarter
	largestShare = 3   // the text of a change can take a third of the room
	leastRoom    = 120 // bytes that are worth filling with a change
	enoughText   = 400 // bytes that a change can take in any case
	mostTitle    = 200 // added or removed pages with their titles
)

// Answer returns the changes within the budget: first the pages that were renamed, removed and
// added, then the changed parts as unified diffs, then the changes that don't fit.
func (d *DiffResult) Answer(ctx context.Context) (*Answer, error) {
	if err := d.measure(ctx); err != nil {
		return nil, err
	}
	query, err := selection.ParseQuery(d.request.Query)
	if err != nil {
		return nil, err
	}
	head := Answer{finder: finderOf(query)}
	head.note("%s", d.summary())
	if note := d.note(); note != "" {
		head.note("%s", note)
	}
	if d.IsEmpty() {
		return &head, nil
	}
	room := max(0, 4*cmp.Or(d.request.Budget, DefaultTokens)-head.size())
	lists, err := d.lists(ctx)
	if err != nil {
		return nil, err
	}
	texts, err := d.take(ctx, room-lists.size())
	if err != nil {
		return nil, err
	}
	if len(d.rest(texts)) > 0 || lists.size() > room {
		reserved := min(lists.size(), room/listShare) + min(d.rest(nil).size(), room/restShare)
		if d.isRanked {
			reserved /= 2 // an answer to a question should contain more texts
		}
		if texts, err = d.take(ctx, room-reserved); err != nil {
			return nil, err
		}
	}
	body := d.compose(lists, texts, room)
	for ; body.size() > room && len(texts) > 0; body = d.compose(lists, texts, room) {
		texts = texts[:len(texts)-1]
	}
	head.append(body)
	return &head, nil
}

// compose puts an answer together. It can only exceed the room if the texts do.
func (d *DiffResult) compose(lists pathLists, items []diffItem, room int) *Answer {
	var framed, out Answer
	if len(items) > 0 {
		var texts []PageText
		for _, it := range items {
			texts = append(texts, it.PageText)
		}
		framed.texts("changes", withoutPaths(texts), "")
	}
	rest := d.rest(items)
	room -= framed.size()
	restRoom := min(rest.size(), max(room/restShare, room-lists.size()))
	out.fold(lists, room-restRoom)
	room -= out.size()
	out.append(&framed)
	out.fold(rest, room)
	return &out
}

// summary counts the changes.
func (d *DiffResult) summary() string {
	names := versionName(d.old) + " to " + versionName(d.new)
	switch {
	case !d.IsEmpty():
	case len(d.request.Paths) > 0:
		return names + ": no page with these paths changed"
	default:
		return names + ": no page changed"
	}
	added, removed := 0, 0
	for _, p := range d.pages {
		if !p.IsAdded() {
			added, removed = added+p.added, removed+p.removed
		}
	}
	var all []string
	c := d.counters()
	for i, n := range []int{c.Added, c.Removed, c.Renamed, c.Changed} {
		if n > 0 {
			all = append(all, thousands(n)+" "+[]string{"added", "removed", "renamed", "changed"}[i])
		}
	}
	noun := "pages"
	if len(d.pages) == 1 {
		noun = "page"
	}
	text := fmt.Sprintf("%s: %s %s", names, strings.Join(all, ", "), noun)
	if added+removed > 0 {
		text += fmt.Sprintf(" (+%s -%s lines)", thousands(added), thousands(removed))
	}
	if len(d.request.Paths) == 0 {
		text += fmt.Sprintf(", %s unchanged", thousands(d.equal))
	}
	return text
}

// versionName returns the name and the version of a cache, such as "docs@3714a6418d58".
func versionName(of answers.Member) string {
	return strings.TrimPrefix(clipMiddle(words.Printable(of.Name), longestPath)+"@"+of.Version().Stem(), "@")
}

// note explains what the answer leaves out, or returns "".
func (d *DiffResult) note() string {
	var notes []string
	if strings.TrimSpace(d.request.Query) != "" && !d.isRanked && !d.IsEmpty() {
		notes = append(notes, "no change is about the words of the question")
	}
	if d.isCoarse {
		notes = append(notes, fmt.Sprintf("only pages with the same text count as renamed, because more than %s pages were added or removed", thousands(mostMoved)))
	}
	return strings.Join(notes, "; ")
}
