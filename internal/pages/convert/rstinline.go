package convert

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
)

var (
	rstRole      = lazy.Regexp(`^:[A-Za-z][A-Za-z0-9:+._-]*:$`)
	rstLink      = lazy.Regexp(`^([^<]*)<([^<>]+)>$`)
	rstReference = lazy.Regexp(`^([A-Za-z0-9][A-Za-z0-9.+-]*(?:_[A-Za-z0-9.+-]+)*)__?([.,;:!?)]*)$`)
)

// inline writes the text of a paragraph: literals, emphasis, links and roles become Markdown.
func (r *rstReader) inline(text string) {
	unclosed := map[string]bool{} // a search for them would fail again
	for text != "" {
		at := strings.IndexAny(text, "`*\\")
		if at < 0 {
			r.words(text)
			return
		}
		before, rest := text[:at], text[at:]
		mark := markOf(rest)
		if mark == `\` {
			r.words(before)
			text = r.escaped(rest)
			continue
		}
		end := -1
		if after := rest[len(mark):]; !unclosed[mark] && after != "" && !isBlank(rune(after[0])) {
			end = strings.Index(after, mark)
			unclosed[mark] = end < 0
		}
		if end <= 0 {
			r.words(before + mark)
			text = rest[len(mark):]
			continue
		}
		inner := rest[len(mark) : len(mark)+end]
		text = rest[2*len(mark)+end:]
		switch mark {
		case "``":
			r.words(before)
			r.w.line.code(inner)
		case "`":
			text = r.interpreted(before, inner, text)
		default:
			r.words(before)
			r.w.line.wrap(mark, inner, mark)
		}
	}
}

func markOf(text string) string {
	for _, mark := range []string{"``", "**"} {
		if strings.HasPrefix(text, mark) {
			return mark
		}
	}
	return text[:1]
}

// escaped writes the character after a backslash, or nothing for white space.
func (r *rstReader) escaped(text string) (rest string) {
	if len(text) < 2 {
		r.w.line.write(`\`)
		return ""
	}
	if c := text[1]; isPunctuation(c) {
		r.w.line.write(text[1:2])
		return text[2:]
	} else if isBlank(rune(c)) {
		return text[2:]
	}
	r.w.line.write(`\`)
	return text[1:]
}

// interpreted writes text between backquotes: a link if an underscore follows it, and otherwise
// code, perhaps with a role such as :func: before it.
func (r *rstReader) interpreted(before, inner, after string) (rest string) {
	role := before[strings.LastIndexAny(before, " \n(")+1:]
	isRole := rstRole().MatchString(role)
	if isRole {
		before = strings.TrimSuffix(before, role)
	}
	r.words(before)
	label, url := inner, ""
	if match := rstLink().FindStringSubmatch(inner); match != nil {
		label, url = cmp.Or(strings.TrimSpace(match[1]), match[2]), match[2]
	}
	rest, isLink := strings.CutPrefix(after, "_")
	switch {
	case isLink && !isRole:
		rest = strings.TrimPrefix(rest, "_")
		r.linkTo(label, cmp.Or(r.targets[strings.ToLower(fold(strings.TrimSuffix(url, "_")))], url, r.targets[strings.ToLower(fold(label))]))
		return rest
	case proseRoles[role]:
		r.w.line.write(label)
	default:
		r.w.line.code(strings.TrimLeft(label, "~!"))
	}
	return after
}

// proseRoles are the roles of text that isn't code.
var proseRoles = setOf(":abbr:", ":doc:", ":emphasis:", ":pep:", ":ref:", ":rfc:", ":strong:", ":sub:", ":sup:", ":term:")

func (r *rstReader) linkTo(label, url string) {
	if url == "" || r.w.line.plain > 0 {
		r.w.line.write(label)
		return
	}
	r.w.line.wrap("[", label, "]("+r.w.target(url)+")")
}

// words writes text without marks. Words that end with an underscore can be links.
func (r *rstReader) words(text string) {
	if !strings.Contains(text, "_") {
		r.w.line.write(text)
		return
	}
	for text != "" {
		end := strings.IndexFunc(text, isBlank)
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		if match := rstReference().FindStringSubmatch(word); match != nil && r.targets[strings.ToLower(match[1])] != "" {
			r.linkTo(match[1], r.targets[strings.ToLower(match[1])])
			word = match[2]
		}
		r.w.line.write(word)
		_, blank := utf8.DecodeRuneInString(text[end:])
		r.w.line.write(text[end : end+blank])
		text = text[end+blank:]
	}
}
