package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/words"
)

const (
	listShare    = 3   // the lists of pages can take a third of an answer if not everything fits
	restShare    = 4   // the list of what does not fit can take a quarter
	largestShare = 3   // the text of a change can take a third of the room
	leastRoom    = 120 // bytes that are worth filling with a change
	enoughText   = 400 // bytes that a change can take in any case
	mostTitle    = 200 // added or removed pages with their titles
)

// Markdown prints the changes within the budget: first the pages that were renamed, removed and
// added, then the changed parts as unified diffs, then the changes that don't fit.
func (d *DiffResult) Markdown(ctx context.Context) ([]byte, error) {
	return markdownOf(d.answer(ctx))
}

// InParts is Markdown for a page.
func (d *DiffResult) InParts(ctx context.Context) (Answer, error) { return inParts(d.answer(ctx)) }

func (d *DiffResult) answer(ctx context.Context) (*answer, error) {
	if err := d.measure(ctx); err != nil {
		return nil, err
	}
	var head answer
	head.line("%s", d.summary())
	if note := d.note(); note != "" {
		head.line("%s", note)
	}
	if d.IsEmpty() {
		return &head, nil
	}
	room := max(0, 4*cmp.Or(d.request.Budget, DefaultTokens)-head.len())
	lists, err := d.lists(ctx)
	if err != nil {
		return nil, err
	}
	texts := diffTexts{DiffResult: d}
	if err := texts.take(ctx, room-lists.size()); err != nil {
		return nil, err
	}
	if len(texts.rest().groups) > 0 || lists.size() > room {
		all := (&diffTexts{DiffResult: d}).rest()
		texts = diffTexts{DiffResult: d}
		reserved := min(lists.size(), room/listShare) + min(all.size(), room/restShare)
		if d.isRanked {
			reserved /= 2 // an answer to a question should contain more texts
		}
		if err := texts.take(ctx, room-reserved); err != nil {
			return nil, err
		}
	}
	body := texts.compose(lists, room)
	for ; body.len() > room && len(texts.items) > 0; body = texts.compose(lists, room) {
		texts.items = texts.items[:len(texts.items)-1]
	}
	head.add(body)
	return &head, nil
}

// compose puts an answer together. It can only exceed the room if the texts do.
func (t *diffTexts) compose(lists pathLists, room int) *answer {
	var framed, out answer
	if len(t.items) > 0 {
		var items []framedText
		for i, it := range t.items {
			it.samePage = i > 0 && it.framedText.page == items[i-1].page
			items = append(items, it.framedText)
		}
		framed.texts("changes", items, "")
	}
	rest := t.rest()
	room -= framed.len()
	restRoom := min(rest.size(), max(room/restShare, room-lists.size()))
	out.fold(lists, room-restRoom)
	room -= out.len()
	out.add(&framed)
	out.fold(rest, room)
	return &out
}

// summary counts the changes.
func (d *DiffResult) summary() string {
	counts := map[string]int{}
	added, removed := 0, 0
	for _, p := range d.pages {
		counts[p.kind()]++
		if !p.IsAdded() {
			added, removed = added+p.added, removed+p.removed
		}
	}
	names := versionName(d.old) + " to " + versionName(d.new)
	if len(d.pages) == 0 && len(d.request.Paths) > 0 {
		return names + ": no page with these paths changed"
	}
	if len(d.pages) == 0 {
		return names + ": no page changed"
	}
	var all []string
	for _, kind := range []string{"added", "removed", "renamed", "changed"} {
		if n := counts[kind]; n > 0 {
			all = append(all, thousands(n)+" "+kind)
		}
	}
	text := fmt.Sprintf("%s: %s %s", names, strings.Join(all, ", "), strings.TrimLeft(count(len(d.pages), "page"), "0123456789, "))
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
