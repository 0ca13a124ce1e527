package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Models and their hosts often send arguments in other forms than the schema says, such as "3" for
// 3, or a list as a string. The functions in this file find out what such values mean. They change
// a value only if it can mean a single thing. The decoder refuses all others, and its error says
// what it expects.

var truths = map[string]bool{"true": true, "yes": true, "on": true, "1": true, "false": false, "no": false, "off": false, "0": false}

// meant returns what a value of a parameter means, or the value itself if this is unclear. All that
// counts is which texts the value consists of, in whatever lists and strings they are wrapped.
func (p Parameter) meant(value any) any {
	texts, isClear := p.textsIn(value)
	if p.List() != nil && p.isSeparated && len(texts) > 0 {
		texts = strings.Split(strings.Join(texts, ","), ",")
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
	}
	kept := append([]string{}, texts...)
	if !p.Required {
		kept = slices.DeleteFunc(kept, func(text string) bool { return strings.TrimSpace(text) == "" })
	}
	switch {
	case !isClear:
		return value
	case value == nil || len(texts) > 0 && len(kept) == 0:
		return nil
	case p.List() != nil:
		return kept
	case len(texts) != 1 && !p.isSeparated:
		return value
	}
	text := strings.Join(texts, ",")
	switch p.value.(type) {
	case *bool:
		if isTrue, isNamed := truths[strings.ToLower(strings.TrimSpace(text))]; isNamed {
			return isTrue
		}
	case *int, *uint64, *uint32:
		if number, isJSON := parse([]byte(strings.TrimSpace(text))); isJSON {
			return number
		}
	default:
		return text
	}
	return value
}

// textsIn returns the texts that a value consists of. isClear is unset if it also consists of what
// the parameter doesn't take.
func (p Parameter) textsIn(value any) (texts []string, isClear bool) {
	switch v := value.(type) {
	case string:
		if inner, isJSON := parse([]byte(strings.TrimSpace(v))); isJSON && isWrap(inner) && !p.isFree && (inner != nil || p.Type() != "string") {
			if texts, isClear := p.textsIn(inner); isClear {
				return texts, true
			}
		}
		return []string{v}, true
	case []any:
		for _, element := range v {
			_, isList := element.([]any)
			inner, isInnerClear := p.textsIn(element)
			if isList && len(v) > 1 || reflect.TypeOf(element) != reflect.TypeOf(v[0]) || !isInnerClear {
				return nil, false
			}
			texts = append(texts, inner...)
		}
		return texts, true
	case map[string]any:
		return pairsIn(v), p.isPairs && len(pairsIn(v)) == len(v)
	case nil:
		return []string{""}, p.List() == nil
	case bool:
		return []string{fmt.Sprint(v)}, p.Type() == "bool"
	}
	return []string{fmt.Sprint(value)}, p.List() == nil // a number
}

func isWrap(value any) bool {
	switch value.(type) {
	case []any, map[string]any, nil:
		return true
	}
	return false
}

// pairsIn returns the members of an object as KEY=VALUE, if their values are texts, numbers, true
// or false, or lists of one of these.
func pairsIn(object map[string]any) (pairs []string) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value := object[key]
		if list, isList := value.([]any); isList && len(list) == 1 {
			value = list[0]
		}
		if !isWrap(value) {
			pairs = append(pairs, fmt.Sprint(key, "=", value))
		}
	}
	return pairs
}

// maxWraps limits how often all arguments can be wrapped.
const maxWraps = 4

// unwrapped returns the object that a client means by the arguments of a call. The object can be
// wrapped in a string, in a list, or in another object as its only member.
func unwrapped(text []byte, parameters []Parameter) []byte {
	value, _ := parse(text)
	for range maxWraps {
		inner, isWrapped := inside(value, parameters)
		if !isWrapped {
			break
		}
		value, text = inner, nil
	}
	if text == nil && value != nil {
		text, _ = json.Marshal(value)
	}
	return text
}

func inside(value any, parameters []Parameter) (inner any, isWrapped bool) {
	switch v := value.(type) {
	case string:
		inner, isJSON := parse([]byte(strings.TrimSpace(v)))
		return inner, isJSON || strings.TrimSpace(v) == ""
	case []any: // an empty list is how PHP writes an empty object
		return slices.Concat(v, []any{nil})[0], len(v) < 2
	case map[string]any:
		for name, inner := range v {
			if text, isText := inner.(string); isText {
				inner, _ = parse([]byte(strings.TrimSpace(text)))
			}
			_, isObject := inner.(map[string]any)
			return inner, isObject && len(v) == 1 && !isDeclared(name, parameters)
		}
	}
	return nil, false
}
