// This file parses the lines of an ignore file. It drops comments, and rules without any match.

package ignore

import "strings"

// A rule is a line of an ignore file.
type rule struct {
	keeps    bool   // it began with '!', so matches are not left out
	dirsOnly bool   // it ended in '/'
	anywhere bool   // it contains no other '/', so it matches the last name of a path
	literal  string // beginning of the path or name, up to the first wildcard
	rest     glob   // from the first wildcard on
}

// matches reports whether the rule matches inside, a path below the rule's directory ending in
// name.
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

// matchesOn reports whether the rule matches a file below the rule's directory, or a
// directory on the way to the file.
func (r *rule) matchesOn(inside string) bool {
	for from, i := 0, 0; i <= len(inside); i++ {
		if isDir := i < len(inside); isDir && inside[i] != '/' {
			continue
		} else if r.matches(inside[:i], inside[from:i], isDir) {
			return true
		}
		from = i + 1
	}
	return false
}

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

// patternOf returns a line without its end, or "" for a comment. Because git reads lines as
// C strings, a NUL also ends the line.
func patternOf(line string) string {
	if line[0] == '#' {
		return ""
	}
	line = strings.TrimSuffix(line, "\n")
	line = strings.TrimSuffix(line, "\r")
	line, _, _ = strings.Cut(line, "\x00")
	return trimSpaces(line)
}

// trimSpaces removes unescaped spaces at the end of a pattern. Other white space is
// literal.
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

// parseRule returns the rule of a pattern. ok is false if the rule could match nothing.
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
	// Git cuts here, too. It reads "**" after the literal part as the beginning of a
	// pattern, so "a/b**" matches "a/bc/d".
	r.literal = pattern[:wildcard]
	r.rest, ok = parseGlob(pattern[wildcard:])
	return r, ok
}
