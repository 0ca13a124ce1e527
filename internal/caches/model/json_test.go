package model

// This file turns values into JSON text in the contract's two forms: compact, and
// pretty with two spaces. Neither ends with a newline.
//
// A value is a string, a number, an object or an array. Objects keep the order of
// their members.

import (
	"fmt"
	"strings"
)

// A number is the text of a JSON number.
type number string

type object []member

type member struct {
	key   string
	value any
}

type array []any

// compactJSON returns value without any white space.
func compactJSON(value any) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case number:
		return string(v)
	case object:
		var members []string
		for _, m := range v {
			members = append(members, quote(m.key)+":"+compactJSON(m.value))
		}
		return "{" + strings.Join(members, ",") + "}"
	case array:
		var elements []string
		for _, element := range v {
			elements = append(elements, compactJSON(element))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	panic(fmt.Sprintf("model: %T is no JSON value", value))
}

// prettyJSON returns value with a line for each member or element. indent is the
// indentation of the line on which value begins.
func prettyJSON(value any, indent string) string {
	deeper := indent + "  "
	switch v := value.(type) {
	case object:
		var lines []string
		for _, m := range v {
			lines = append(lines, deeper+quote(m.key)+": "+prettyJSON(m.value, deeper))
		}
		return enclose("{", lines, indent, "}")
	case array:
		var lines []string
		for _, element := range v {
			lines = append(lines, deeper+prettyJSON(element, deeper))
		}
		return enclose("[", lines, indent, "]")
	}
	return compactJSON(value)
}

// enclose puts lines between brackets, which touch if there are no lines.
func enclose(opening string, lines []string, indent, closing string) string {
	if len(lines) == 0 {
		return opening + closing
	}
	return opening + "\n" + strings.Join(lines, ",\n") + "\n" + indent + closing
}

// shortEscapes contains the characters escaped by a letter or by themselves.
var shortEscapes = map[byte]string{
	'"': `\"`, '\\': `\\`,
	'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// quote returns s as a JSON string. encoding/json cannot be used, because it
// escapes U+2028, U+2029 and, unless told otherwise, <, > and & as well.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := 0; i < len(s); i++ {
		if escaped, ok := shortEscapes[s[i]]; ok {
			out.WriteString(escaped)
		} else if s[i] < 0x20 {
			fmt.Fprintf(&out, `\u%04x`, s[i])
		} else {
			out.WriteByte(s[i])
		}
	}
	out.WriteByte('"')
	return out.String()
}
