package agent

import (
	"context"
	"regexp"

	"github.com/contextcompiler/context/internal/answer/answers"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/selection"
)

// nameAndNumber matches a name with a number joined to it, such as TLS1.3, python3.12 or HTTP2.
var nameAndNumber = lazy.Regexp(`^(\pL{2,})([0-9]+(?:\.[0-9]+)*)$`)

const (
	mostApart = 2 // missing words to look for
	mostHits  = 3 // sections to read for each
)

// tryApart names missing words whose name and number pages write apart, such as "TLS 1.3" or
// "HTTP/2". Search doesn't find one by the other.
func (a *Answer) tryApart(ctx context.Context, set *answers.Set, missing []string) error {
	looked := 0
	for _, word := range missing {
		parts := nameAndNumber().FindStringSubmatch(word)
		if parts == nil {
			continue
		}
		if looked++; looked > mostApart {
			break
		}
		text, err := writtenApart(ctx, set, parts[1], parts[2])
		if err != nil {
			return err
		}
		if text != "" {
			a.note("pages write %s for %s: try that", quote(text), quote(word))
		}
	}
	return nil
}

// writtenApart returns a name and a number as the best sections write them, or "".
func writtenApart(ctx context.Context, set *answers.Set, name, number string) (string, error) {
	query, err1 := selection.ParseQuery(name + " " + number)
	form, err2 := regexp.Compile(`(?i)(?:^|[^\pL\pN])(` + name + `[ /]` + regexp.QuoteMeta(number) + `)(?:$|[^\pL\pN])`)
	if err1 != nil || err2 != nil {
		return "", nil // too long
	}
	ranked, err := set.Rank(ctx, selection.Request{Query: query})
	if err != nil {
		return "", err
	}
	looked := 0
	for hit, err := range ranked.Hits(ctx) {
		if looked++; err != nil || looked > mostHits {
			return "", err
		}
		text, err := ranked.Read(hit)
		if err != nil {
			return "", err
		}
		if found := form.FindSubmatch(text.Content); found != nil {
			return string(found[1]), nil
		}
	}
	return "", nil
}
