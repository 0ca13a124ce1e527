package cli

import (
	"bytes"
	"regexp"

	"github.com/contextcompiler/context/internal/agent"
	"github.com/contextcompiler/context/internal/console"
	"github.com/contextcompiler/context/internal/dotcontext"
	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// This file finds the parts of answers that get colours. Packages agent and dotcontext know
// nothing of colours, because they serve agents, too.

// A finder finds the parts of a line that match a query.
type finder func(line []byte) [][]int

// finderOf returns a finder of the words of a query, which finds nothing if the query is
// empty.
func finderOf(query string) finder {
	parsed, err := selection.ParseQuery(query)
	if err != nil {
		return nothing
	}
	return ranking.ParseQuery(parsed).Finder()
}

func nothing([]byte) [][]int { return nil }

// matches returns the matches in a line from an offset on.
func (find finder) matches(line []byte, from int) (all []console.Stretch) {
	for _, at := range find(line[from:]) {
		all = append(all, console.Stretch{Start: from + at[0], End: from + at[1], Style: console.Match})
	}
	return all
}

// handle matches a handle, with the name of its cache.
var handle = regexp.MustCompile(`(?:[^\s;]+/)?\b[1-9][0-9]{0,8}[bcdfghjkmnpqrstvwxz]{5}(?:\.[1-9][0-9]{0,6})?\b`)

// handles returns the handles in a line, at most n of them, or all if n < 0.
func handles(line []byte, n int) (all []console.Stretch) {
	for _, at := range handle.FindAllIndex(line, n) {
		all = append(all, console.Stretch{Start: at[0], End: at[1], Style: console.Handle})
	}
	return all
}

func wholeLine(line []byte, style console.Style) []console.Stretch {
	return []console.Stretch{{Start: 0, End: len(line), Style: style}}
}

// layoutOfList returns the layout of lines that may begin with a handle.
func layoutOfList() console.Layout {
	return func(line, _ []byte) []console.Stretch {
		first := handles(line, 1)
		if len(first) > 0 && len(bytes.TrimLeft(line[:first[0].Start], " ")) == 0 {
			return first
		}
		return nil
	}
}

// nested returns the layout of indented lines below the places that they are from.
func nested(below console.Layout) console.Layout {
	return func(line, next []byte) []console.Stretch {
		isIndented := func(line []byte) bool { return bytes.HasPrefix(line, []byte("  ")) }
		switch {
		case isIndented(line):
			return below(line, next)
		case isIndented(next):
			return wholeLine(line, console.Place)
		}
		return nil
	}
}

// layoutOfHits returns the layout of what search prints.
func layoutOfHits(query string) console.Layout {
	const quote = "    > "
	find, list := finderOf(query), layoutOfList()
	return nested(func(line, next []byte) []console.Stretch {
		if bytes.HasPrefix(line, []byte(quote)) {
			return find.matches(line, len(quote))
		}
		return list(line, next)
	})
}

// numbered matches the number of a line that grep prints, and what follows it.
var numbered = regexp.MustCompile(`^  ([0-9]+)[:-] ?`)

// layoutOfLines returns the layout of what grep prints.
func layoutOfLines(request agent.GrepRequest) console.Layout {
	pattern := request.Pattern
	if !request.IsRegexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if request.IgnoreCase {
		pattern = "(?i:" + pattern + ")"
	}
	var find finder = nothing
	if compiled, err := regexp.Compile(pattern); err == nil {
		find = func(line []byte) [][]int { return compiled.FindAllIndex(line, -1) }
	}
	return nested(func(line, _ []byte) []console.Stretch {
		found := numbered.FindSubmatchIndex(line)
		if found == nil {
			return nil
		}
		number := []console.Stretch{{Start: found[2], End: found[3], Style: console.Handle}}
		if line[found[3]] == '-' {
			return number // of a line around one that matches
		}
		return append(number, find.matches(line, found[1])...)
	})
}

// begins matches the first line of texts in frames, up to the end of the mark.
var begins = regexp.MustCompile(`^(=== [0-9a-f]+): `)

// layoutOfTexts returns the layout of texts in frames, as ask and read print them. No text
// contains the mark of its frame, so no text can look like the lines around it.
func layoutOfTexts(query string) console.Layout {
	find := finderOf(query)
	var mark []byte // nil outside of the frames
	return func(line, _ []byte) []console.Stretch {
		if found := begins.FindSubmatch(line); mark == nil && found != nil {
			mark = bytes.Clone(found[1])
		}
		switch {
		case mark == nil:
			return handles(line, -1)
		case !bytes.HasPrefix(line, mark):
			return find.matches(line, 0)
		case bytes.HasPrefix(line[len(mark):], []byte(" end")):
			mark = nil
		}
		return wholeLine(line, console.Place)
	}
}

// states are the styles of what status says of a directory.
var states = map[dotcontext.State]console.Style{
	dotcontext.Fresh:   console.Good,
	dotcontext.Stale:   console.Warning,
	dotcontext.Missing: console.Warning,
	dotcontext.Invalid: console.Bad,
}

// layoutOfStates returns the layout of the table that status prints.
func layoutOfStates() console.Layout {
	return func(line, _ []byte) []console.Stretch {
		state, _, isRow := bytes.Cut(line, []byte("  "))
		switch {
		case !isRow:
			return nil
		case string(state) == "STATE":
			return wholeLine(line, console.Bold)
		}
		return []console.Stretch{{Start: 0, End: len(state), Style: states[dotcontext.State(state)]}}
	}
}
