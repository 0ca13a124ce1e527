package web

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/selection"
)

// Functions are for templates: they describe numbers and scores.
var Functions = template.FuncMap{
	"thousands": thousands, "plural": plural, "verdict": verdict, "evidence": evidence, "percent": percent, "share": share, "join": strings.Join,
}

var functions = template.FuncMap{
	"asset": assetAddress, "folder": func(f *outlineFolder, r viewRequest) folderView { return folderView{f, r} }, "views": func() []viewName { return viewNames },
}

// A folderView is a folder with the request that its links keep.
type folderView struct {
	Folder  *outlineFolder
	Request viewRequest
}

// A viewName names a view for people.
type viewName struct{ View, Name, Title string }

var viewNames = []viewName{
	{searchView, "Search", "Search"},
	{askView, "Ask", "Ask within a budget"},
	{whyView, "Why", "Why these sections"},
	{outlineView, "Outline", "Outline"},
	{compareView, "Compare", "Two caches side by side"},
}

// Name returns the name of the view.
func (r viewRequest) Name() string {
	for _, v := range viewNames {
		if v.View == r.View {
			return v.Title
		}
	}
	return map[string]string{readView: "Read", sessionView: "Session"}[r.View]
}

// Asking returns the address of another question.
func (r viewRequest) Asking(query string) string {
	r.Query = query
	return r.address()
}

// Below returns the address of the outline of a directory, such as docs:guide.
func (r viewRequest) Below(directory string) string {
	if name, path, hasName := strings.Cut(directory, ":"); hasName {
		r.Caches, directory = []string{name}, path
	}
	r.View = outlineView
	if directory = strings.Trim(directory, "./"); directory != "" {
		r.Path = "/" + directory + "/"
	}
	return r.address()
}

// Has reports whether a cache is chosen.
func (r viewRequest) Has(name string) bool { return slices.Contains(r.Caches, name) }

// MaxBudget returns the end of the slider.
func (r viewRequest) MaxBudget() int { return max(8000, r.Budget) }

// IsFiltered reports whether the request limits the pages or the answer, other than to caches.
func (r viewRequest) IsFiltered() bool {
	return r.Path != "" || r.Where != "" || r.Code != ""
}

// A matchFinder finds the matches of a question in a text.
type matchFinder agent.Finder

// maxMarked is the size in bytes of the longest line whose matches are marked.
const maxMarked = 16 << 10

func (find matchFinder) pieces(line string) (pieces []linePiece) {
	var matches [][]int
	if len(line) <= maxMarked {
		matches = find([]byte(line))
	}
	at := 0
	for _, r := range matches {
		if r[0] < at || r[1] <= r[0] {
			continue
		}
		if r[0] > at {
			pieces = append(pieces, linePiece{Text: line[at:r[0]]})
		}
		pieces = append(pieces, linePiece{Text: line[r[0]:r[1]], IsMatch: true})
		at = r[1]
	}
	if at < len(line) {
		pieces = append(pieces, linePiece{Text: line[at:]})
	}
	return pieces
}

// linePieces returns the pieces of an answer's line. Its handles are links.
func (find matchFinder) linePieces(line agent.AnswerLine, r viewRequest) (pieces []linePiece) {
	for _, piece := range line {
		switch {
		case piece.Role == agent.Handle:
			pieces = append(pieces, linePiece{Text: piece.Text, Address: r.Reading(piece.Text)})
		case piece.Role == agent.Quoted && r.code.IsOn():
			pieces = append(pieces, find.pieces(piece.Text)...)
		case piece.Role == agent.Quoted:
			pieces = append(pieces, find.quotePieces(piece.Text)...)
		default:
			pieces = append(pieces, linePiece{Text: piece.Text})
		}
	}
	return pieces
}

// thousands formats 12345 as "12,345".
func thousands(n any) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func plural(n any, noun string) string {
	if text := thousands(n); text != "1" {
		return text + " " + noun + "s"
	}
	return "1 " + noun
}

// percent returns a share, which is a JSON number, as a percentage.
func percent(share string) int {
	n, _ := strconv.ParseFloat(share, 64)
	return int(n * 100)
}

// share returns a share, which is a JSON number, as a rounded percentage.
func share(text string) string {
	n, _ := strconv.ParseFloat(text, 64)
	if n > 0 && n < .005 {
		return "under 1%"
	}
	return strconv.Itoa(int(math.Round(n*100))) + "%"
}

// verdict returns the decision on an item in words.
func verdict(item selection.ExplainedItem) string {
	switch item.Verdict {
	case selection.Duplicate:
		return "left out: it says almost the same as " + string(item.DuplicateOf)
	case selection.TooLarge:
		return "left out: too large for what is left of the budget"
	case selection.NotTried:
		return "left out: the budget was full before its turn"
	}
	return "chosen"
}

// evidence says where a part of a score was found.
func evidence(e selection.Evidence) string {
	named := "“" + strings.Join(e.Terms, " ") + "”"
	switch e.Kind {
	case selection.SentenceEvidence:
		return "one sentence covers much of the question: " + strings.Join(e.Terms, ", ")
	case selection.AboutEvidence:
		return "a heading is about this: " + strings.Join(e.Terms, ", ")
	case selection.TitleEvidence:
		return "the question is the title of the page"
	case selection.HeadingEvidence:
		return "the question is a heading"
	case selection.DefinitionEvidence:
		return "a sentence defines the thing in question"
	}
	var places []string
	switch {
	case e.Body == 1:
		places = append(places, "once in the text")
	case e.Body > 1:
		places = append(places, thousands(e.Body)+" times in the text")
	}
	if e.Heading {
		places = append(places, "in a heading")
	}
	if e.Path {
		places = append(places, "in the path")
	}
	if len(e.Terms) > 1 {
		named += " next to each other"
	}
	return named + " " + strings.Join(places, ", ")
}
