package mcp

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/wire"
)

// Models and their hosts often send arguments in other forms than the schema says, such as "3" for
// 3, or a list as a string. The functions in this file find out what such values mean. They change
// a value only if it can mean a single thing. The decoder refuses all others, and its error says
// what it expects.

// maxWraps limits how often a value can be wrapped in lists and strings.
const maxWraps = 4

// meant returns what a value of an argument means.
func (a argument) meant(value []byte) []byte {
	for range maxWraps {
		before := value
		if value = a.unwrap(value); bytes.Equal(value, before) {
			break
		}
	}
	return value
}

// unwrap changes a value by one step towards its meaning.
func (a argument) unwrap(value []byte) []byte {
	content, isText := text(value)
	content = strings.TrimSpace(content)
	only := onlyElement(value)
	isList := a.kind == listKind || a.kind == anyListKind
	switch {
	case isText && content == "" && !a.required:
		return []byte("null")
	case isText && (a.kind == integerKind || a.kind == shareKind) && isNumberText(content):
		return []byte(content)
	case isText && !a.isFree && a.takes([]byte(content)):
		return []byte(content)
	case isText && a.kind == flagKind:
		return flagNamed(content, value)
	case a.kind == flagKind && (string(value) == "0" || string(value) == "1"):
		return flagNamed(string(value), value)
	case a.kind == textKind && isNumberText(string(value)):
		return wire.Marshal(string(value))
	case only != nil && (!isList || only[0] == '[' || a.isPairs && only[0] == '{'):
		return only
	case only != nil && isList:
		if content, ok := text(only); ok && a.takes([]byte(content)) {
			return []byte(content)
		}
	case a.kind == textKind && a.isSeparated:
		if texts, ok := textsIn(value); ok {
			return wire.Marshal(strings.Join(texts, ","))
		}
	case a.isPairs && (value[0] == '{' || value[0] == '['):
		if pairs, ok := pairsIn(value); ok {
			return wire.Marshal(pairs)
		}
	}
	if isList {
		return a.list(value)
	}
	return value
}

// takes reports whether a text is JSON that means a value of the argument, other than a string.
func (a argument) takes(content []byte) bool {
	if len(content) == 0 || wellFormed(content) != nil {
		return false
	}
	texts, isList := textsIn(content)
	switch a.kind {
	case listKind, anyListKind:
		return isList || a.isPairs && content[0] == '{'
	case textKind:
		return isList && (a.isSeparated || len(texts) == 1)
	}
	return content[0] == '[' || string(content) == "null"
}

// list returns a list without empty texts, and with separate texts for the parts between commas. A
// single text is a list of one.
func (a argument) list(value []byte) []byte {
	texts, ok := textsIn(value)
	if single, isText := text(value); isText {
		texts, ok = []string{single}, true
	}
	if !ok {
		return value
	}
	if a.isSeparated && len(texts) > 0 {
		texts = strings.Split(strings.Join(texts, ","), ",")
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
	}
	kept := slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return strings.TrimSpace(t) == "" })
	switch {
	case a.required:
		kept = texts
	case len(kept) == 0 && len(texts) > 0:
		return []byte("null")
	}
	return wire.Marshal(kept)
}

// flagNamed returns the flag with a name, or value if there is none.
func flagNamed(name string, value []byte) []byte {
	switch strings.ToLower(name) {
	case "true", "yes", "on", "1":
		return []byte("true")
	case "false", "no", "off", "0":
		return []byte("false")
	}
	return value
}

func isNumberText(s string) bool {
	return s != "" && strings.Contains("-0123456789", s[:1]) && wellFormed([]byte(s)) == nil
}

// onlyElement returns the element of a list of one, or nil.
func onlyElement(value []byte) (only []byte) {
	n := 0
	d := wire.NewDecoder(value)
	err := d.Array(func() (err error) {
		n++
		only, err = d.Value()
		return err
	})
	if err != nil || n != 1 {
		return nil
	}
	return only
}

// textsIn returns the texts in a list of texts.
func textsIn(value []byte) (texts []string, ok bool) {
	d := wire.NewDecoder(value)
	err := d.Array(func() error {
		t, err := d.String()
		texts = append(texts, t)
		return err
	})
	return texts, err == nil
}

var errNoPair = errors.New("not a single value")

// pairsIn returns the members of an object, or of all objects in a list, as KEY=VALUE. Each value
// must be a text, a number, true or false, or a list of one of these.
func pairsIn(value []byte) (pairs []string, ok bool) {
	d := wire.NewDecoder(value)
	pairs = []string{}
	if value[0] == '[' {
		err := d.Array(func() error {
			object, err := d.Value()
			if err != nil || object[0] != '{' {
				return cmp.Or(err, errNoPair)
			}
			some, isPairs := pairsIn(object)
			if pairs = append(pairs, some...); !isPairs {
				return errNoPair
			}
			return nil
		})
		return pairs, err == nil
	}
	err := d.Object(func(key string) error {
		value, err := d.Value()
		if only := onlyElement(value); only != nil {
			value = only
		}
		if s, isText := text(value); isText {
			value = []byte(s)
		} else if bytes.IndexByte([]byte("[{n"), value[0]) >= 0 {
			err = errNoPair
		}
		pairs = append(pairs, key+"="+string(value))
		return err
	})
	return pairs, err == nil
}

// meantArguments returns the object that a client means by the arguments of a call. The object can
// be wrapped in a string, in a list, or in another object as its only member.
func meantArguments(object []byte, declared []argument) []byte {
	for range maxWraps {
		content, isText := text(object)
		content = strings.TrimSpace(content)
		switch inner := onlyMember(object, declared); {
		case isText && (content == "" || wellFormed([]byte(content)) == nil):
			object = []byte(content)
		case onlyElement(object) != nil:
			object = onlyElement(object)
		case inner != nil:
			object = inner
		case string(object) == "[]": // as PHP writes an empty object
			return nil
		default:
			return object
		}
		if len(object) == 0 {
			return nil
		}
	}
	return object
}

// onlyMember returns the value of an object's only member if it is an object, and the member is no
// declared argument.
func onlyMember(object []byte, declared []argument) (value []byte) {
	n := 0
	d := wire.NewDecoder(object)
	err := d.Object(func(name string) (err error) {
		if n++; slices.ContainsFunc(declared, func(a argument) bool { return a.name == name }) {
			n++
		}
		value, err = d.Value()
		return err
	})
	if content, isText := text(value); isText && wellFormed([]byte(content)) == nil {
		value = []byte(strings.TrimSpace(content))
	}
	if err != nil || n != 1 || value[0] != '{' {
		return nil
	}
	return value
}
