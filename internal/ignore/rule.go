// The lines of an ignore file go in, rules come out. Nothing can go wrong: a
// line that is no rule, or one that matches nothing, is dropped.

package ignore

import "strings"

// A rule is one line of an ignore file.
type rule struct {
	keeps    bool   // it began with '!': what it matches is not left out
	dirsOnly bool   // it ended in '/'
	anywhere bool   // it has no other '/': it looks at the last name of a path
	literal  string // what the path or name begins with, up to the first wildcard
	rest     glob   // what follows
}

// matches reports whether the rule is about a path, which is inside of the
// rule's directory and ends in name.
func (r *rule) matches(inside, name string, isDir bool) bool {
	if r.dirsOnly && !isDir {
		return false
	}
	if r.anywhere {
		inside = name
	}
	after, ok := strings.CutPrefix(inside, r.literal)
	return ok && r.rest.matches(after)
}

// parse returns the rules of an ignore file.
func parse(text string) []rule {
	text = strings.TrimPrefix(text, "\ufeff")
	var rules []rule
	for line := range strings.Lines(text) {
		if r, ok := parseRule(patternOf(line)); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// patternOf returns what is left of a line without its end, or "" for a
// comment. Git reads lines as C strings, so a NUL is an end, too.
func patternOf(line string) string {
	if line[0] == '#' {
		return ""
	}
	line = strings.TrimSuffix(line, "\n")
	line = strings.TrimSuffix(line, "\r")
	line, _, _ = strings.Cut(line, "\x00")
	return trimSpaces(line)
}

// trimSpaces removes the spaces at the end of a pattern, except escaped ones.
// Other white space stands for itself.
func trimSpaces(pattern string) string {
	end := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(pattern))
	}
	return pattern[:end]
}

// parseRule returns the rule that a pattern stands for. It is not ok when the
// rule would match nothing.
func parseRule(pattern string) (r rule, ok bool) {
	pattern, r.keeps = strings.CutPrefix(pattern, "!")
	pattern, r.dirsOnly = strings.CutSuffix(pattern, "/")
	r.anywhere = !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if pattern == "" {
		return rule{}, false
	}
	wildcard := strings.IndexAny(pattern, wildcards)
	if wildcard < 0 {
		wildcard = len(pattern)
	}
	// Git, too, cuts here, and so takes "**" right after the literal part for
	// one that begins its pattern: "a/b**" matches "a/bc/d".
	r.literal = pattern[:wildcard]
	r.rest, ok = parseGlob(pattern[wildcard:])
	return r, ok
}
