// This file parses bracket expressions such as [a-z_] or [![:space:]].

package ignore

import "strings"

// A byteClass contains the bytes matched by a wildcard. It never contains '/', which wildcards for
// a single byte don't match.
type byteClass [256]bool

// anyByte is the class of "?".
var anyByte = func() (s byteClass) {
	s.complement()
	s['/'] = false
	return s
}()

// classes contains the bounds of the ranges in each of git's classes. They don't depend on
// the locale, and [:space:] includes neither \v nor \f.
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

// parse reads a bracket expression without its '[' into an empty class. ok is false if the
// expression doesn't end or contains an unknown class.
func (s *byteClass) parse(text string) (rest string, ok bool) {
	negated := strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^")
	if negated {
		text = text[1:]
	}
	// At the beginning, a ']' is literal.
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

// parseMember reads a member of a bracket expression: a byte, a class, or the rest of a range
// starting with the byte from. It returns the from for the next member as last. Both are 0 where no
// range can begin.
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
