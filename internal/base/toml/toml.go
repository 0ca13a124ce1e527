// Package toml decodes TOML that strangers wrote. It refuses the few texts for which the library
// takes quadratic time and memory, or overflows the stack, which no caller could survive.
package toml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// MaxSize is the most bytes of a text. The lock files of large projects stay below a tenth of it.
const MaxSize = 16 << 20

// Bounds for a text. Each item costs the library up to 500 bytes and 2 µs, and each byte of
// work is copied and kept a few times.
const (
	maxDepth = 100       // of arrays and inline tables, and parts of a key
	maxItems = 500_000   // tables, keys, elements of arrays and comments
	maxWork  = 100 << 20 // the lengths of the full paths of all keys
	perPart  = 25        // what the library allocates for each part of a path, however short

	maxMessage = 300 // bytes of an error
)

// Unmarshal decodes a text into v. Its error doesn't name the file.
func Unmarshal(text []byte, v any) (err error) {
	if err := check(text, maxDepth); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil { // the library panics on what it takes for its own mistakes
			err = fmt.Errorf("toml: %v", p)
		}
		if err != nil && len(err.Error()) > maxMessage { // it quotes keys and values of any length
			err = errors.New(strings.ToValidUTF8(err.Error()[:maxMessage], "") + "...")
		}
	}()
	return toml.Unmarshal(text, v)
}

// check fails if a text is too expensive for the library. It reads keys, brackets and strings as
// TOML defines them. Up to the first mistake in the text, it sees what the library sees, and what
// follows doesn't matter, because the library stops there.
func check(text []byte, maxDepth int) error {
	if len(text) > MaxSize {
		return fmt.Errorf("it is larger than %d bytes", MaxSize)
	}
	var (
		open        []int // the path around each open bracket
		path, key   int   // lengths: of the open table, and of the key since the last separator
		parts       int   // of that key
		items, work int
		isHeader    bool
		isValue     bool // after the equals sign of a line
	)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			i, items = endOfLine(text, i)-1, items+1
		case '"', '\'':
			n := lengthOfString(text[i:])
			key += n
			i += n - 1
		case '\n':
			if isHeader {
				path, items, work = key, items+1, work+key
			}
			if len(open) == 0 {
				key, parts, isHeader, isValue = 0, 0, false, false
			}
		case '.':
			key += perPart
			parts, work = parts+1, work+path+key
		case '=':
			key += perPart
			items, work, isValue = items+1, work+path+key, true
		case ',':
			items, key, parts = items+1, 0, 0
		case '[', '{':
			if c == '[' && len(open) == 0 && !isValue {
				isHeader, path = true, 0
				continue
			}
			open = append(open, path)
			path, key, parts, items = path+key, 0, 0, items+1
		case ']', '}':
			if len(open) > 0 {
				path, open = open[len(open)-1], open[:len(open)-1]
			}
		default:
			key++
		}
		switch {
		case max(len(open), parts) > maxDepth:
			return fmt.Errorf("line %d: more than %d arrays, tables or parts of a key are nested", lineAt(text, i), maxDepth)
		case items > maxItems:
			return fmt.Errorf("line %d: there are more than %d keys, elements and comments", lineAt(text, i), maxItems)
		case work > maxWork:
			return fmt.Errorf("line %d: the keys are too long or have too many parts", lineAt(text, i))
		}
	}
	return nil
}

func endOfLine(text []byte, from int) int {
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return len(text)
}

func lineAt(text []byte, i int) int { return 1 + bytes.Count(text[:min(i, len(text))], []byte("\n")) }

// lengthOfString returns the length of the string at the beginning of a text, with its quotes. A
// string that doesn't end in its line ends before the line feed.
func lengthOfString(text []byte) int {
	quote := text[0]
	end := bytes.Repeat(text[:1], 3)
	isMultiline := bytes.HasPrefix(text, end)
	if !isMultiline {
		end = end[:1]
	}
	for i := len(end); i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == '\n' && !isMultiline:
			return i
		case bytes.HasPrefix(text[i:], end):
			i += len(end)
			for extra := 0; isMultiline && extra < 2 && i < len(text) && text[i] == quote; extra++ {
				i++ // up to two quotes can precede the end
			}
			return i
		}
	}
	return len(text)
}
