// This file parses bracket expressions such as [a-z_] or [![:space:]].

package ignore

import "strings"

// A set has the bytes that a part of a pattern may stand for. It never has the '/':
// no wildcard for one byte matches it.
type byteClass [256]bool

// anyByte is the set of "?".
var anyByte = func() (s byteClass) {
	s.complement()
	s['/'] = false
	return s
}()

// classes are the bounds of the ranges in each of git's classes. They are the same
// in every locale, and the spaces have neither \v nor \f.
var classes = map[string]string{
	"alnum":  "09AZaz",
	"alpha":  "AZaz",
	"blank":  "\t\t  ",
	"cntrl":  "\x00\x1f\x7f\x7f",
	"digit":  "09",
	"graph":  "!~",
	"lower":  "az",
	"print":  " ~",
	"punct":  "!/:@[`{~",
	"space":  "\t\n\r\r  ",
	"upper":  "AZ",
	"xdigit": "09AFaf",
}

// parse reads a bracket expression without its '[' into an empty set. It is not ok
// if the expression has no end or an unknown class.
func (s *byteClass) parse(text string) (rest string, ok bool) {
	negated := strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^")
	if negated {
		text = text[1:]
	}
	// A ']' at the beginning is literal.
	var last byte
	for first := true; first || !strings.HasPrefix(text, "]"); first = false {
		if last, text, ok = s.parseMember(last, text); !ok {
			return "", false
		}
	}
	if negated {
		s.complement()
	}
	s['/'] = false
	return text[1:], true
}

// parseMember reads one member of a bracket expression: a byte, a class, or the rest
// of a range that began with from, the byte before it. It returns the from of the
// next member as last. Both are 0 where no range can begin.
func (s *byteClass) parseMember(from byte, text string) (last byte, rest string, ok bool) {
	if name, rest, ok := cutClass(text); ok {
		return 0, rest, s.addClass(name)
	}
	if from != 0 && len(text) > 1 && text[0] == '-' && text[1] != ']' {
		to, rest, ok := parseByte(text[1:])
		s.add(from, to)
		return 0, rest, ok
	}
	b, rest, ok := parseByte(text)
	s.add(b, b)
	return b, rest, ok
}

// cutClass reads a class such as "[:alpha:]".
func cutClass(text string) (name, rest string, ok bool) {
	if text, ok = strings.CutPrefix(text, "[:"); !ok {
		return "", "", false
	}
	name, rest, _ = strings.Cut(text, "]")
	name, ok = strings.CutSuffix(name, ":")
	return name, rest, ok
}

func (s *byteClass) addClass(name string) (known bool) {
	bounds, known := classes[name]
	for ; bounds != ""; bounds = bounds[2:] {
		s.add(bounds[0], bounds[1])
	}
	return known
}

func (s *byteClass) add(from, to byte) {
	for b := int(from); b <= int(to); b++ {
		s[b] = true
	}
}

func (s *byteClass) complement() {
	for b := range s {
		s[b] = !s[b]
	}
}
