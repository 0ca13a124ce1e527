package console

import (
	"bytes"
	"regexp"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/internal/base/lazy"
	"github.com/contextcompiler/context/internal/contexts/dotcontext"
	"github.com/contextcompiler/context/selection"
)

// This file finds the parts of answers to colour. Packages agent and dotcontext don't know
// about colours, because they also serve agents.

// A finder returns the matches of a query in a line.
type finder func(line []byte) [][]int

func finderOf(query string) finder {
	parsed, err := selection.ParseQuery(query)
	if err != nil {
		return nothing
	}
	return ranking.ParseQuery(parsed).Finder()
}

func nothing([]byte) [][]int { return nil }

// matches returns the matches in a line, starting at an offset.
func (find finder) matches(line []byte, from int) (all []Stretch) {
	for _, at := range find(line[from:]) {
		all = append(all, Stretch{Start: from + at[0], End: from + at[1], Style: Match})
	}
	return all
}

// handle matches a handle, including the name of its cache.
var handle = lazy.Regexp(`(?:[^\s;]+/)?\b[1-9][0-9]{0,8}[bcdfghjkmnpqrstvwxz]{5}(?:\.[1-9][0-9]{0,6})?\b`)

// handles returns the first n handles in a line, or all of them if n < 0.
func handles(line []byte, n int) (all []Stretch) {
	for _, at := range handle().FindAllIndex(line, n) {
		all = append(all, Stretch{Start: at[0], End: at[1], Style: Handle})
	}
	return all
}

func wholeLine(line []byte, style Style) []Stretch {
	return []Stretch{{Start: 0, End: len(line), Style: style}}
}

// HighlightList highlights lines that may start with a handle, such as lines of outline.
func HighlightList() Highlighter {
	return func(line, _ []byte) []Stretch {
		first := handles(line, 1)
		if len(first) > 0 && len(bytes.TrimLeft(line[:first[0].Start], " ")) == 0 {
			return first
		}
		return nil
	}
}

// nested highlights indented lines with below, and the places above them.
func nested(below Highlighter) Highlighter {
	return func(line, next []byte) []Stretch {
		isIndented := func(line []byte) bool { return bytes.HasPrefix(line, []byte("  ")) }
		switch {
		case isIndented(line):
			return below(line, next)
		case isIndented(next):
			return wholeLine(line, Place)
		}
		return nil
	}
}

// HighlightHits highlights the output of search.
func HighlightHits(query string) Highlighter {
	const quote = "    > "
	find, list := finderOf(query), HighlightList()
	return nested(func(line, next []byte) []Stretch {
		if bytes.HasPrefix(line, []byte(quote)) {
			return find.matches(line, len(quote))
		}
		return list(line, next)
	})
}

// numbered matches a line number printed by grep, and the separator after it.
var numbered = lazy.Regexp(`^  ([0-9]+)[:-] ?`)

// HighlightLines highlights the output of grep.
func HighlightLines(request agent.GrepRequest) Highlighter {
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
	return nested(func(line, _ []byte) []Stretch {
		found := numbered().FindSubmatchIndex(line)
		if found == nil {
			return nil
		}
		number := []Stretch{{Start: found[2], End: found[3], Style: Handle}}
		if line[found[3]] == '-' {
			return number // of a line around a match
		}
		return append(number, find.matches(line, found[1])...)
	})
}

// begins matches the first line of a framed text, up to the end of the mark.
var begins = lazy.Regexp(`^(=== [0-9a-f]+): `)

// HighlightTexts highlights framed texts, as ask and read print them. A text never
// contains the mark of its frame, so it cannot imitate the lines around it.
func HighlightTexts(query string) Highlighter {
	find := finderOf(query)
	var mark []byte // nil outside of the frames
	return func(line, _ []byte) []Stretch {
		if found := begins().FindSubmatch(line); mark == nil && found != nil {
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
		return wholeLine(line, Place)
	}
}

// HighlightChanges highlights the output of diff: texts as HighlightTexts does, and in them the lines
// that were added or removed.
func HighlightChanges(query string) Highlighter {
	texts := HighlightTexts(query)
	var mark []byte // nil outside of the frames
	return func(line, next []byte) []Stretch {
		found := begins().FindSubmatch(line)
		switch {
		case mark == nil && found != nil:
			mark = bytes.Clone(found[1])
		case mark == nil || len(line) == 0 || bytes.HasPrefix(line, mark):
			if mark != nil && bytes.HasPrefix(line, append(mark[:len(mark):len(mark)], " end"...)) {
				mark = nil
			}
		case line[0] == '+':
			return wholeLine(line, Good)
		case line[0] == '-':
			return wholeLine(line, Bad)
		case line[0] == '@':
			return wholeLine(line, Handle)
		}
		return texts(line, next)
	}
}

var states = map[dotcontext.State]Style{
	dotcontext.Fresh:   Good,
	dotcontext.Stale:   Warning,
	dotcontext.Missing: Warning,
	dotcontext.Invalid: Bad,
}

// HighlightStates highlights the table of status.
func HighlightStates() Highlighter {
	return func(line, _ []byte) []Stretch {
		state, _, isRow := bytes.Cut(line, []byte("  "))
		switch {
		case !isRow:
			return nil
		case string(state) == "STATE":
			return wholeLine(line, Bold)
		}
		return []Stretch{{Start: 0, End: len(state), Style: states[dotcontext.State(state)]}}
	}
}
