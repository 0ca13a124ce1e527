package markdown

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// Readable returns a part of a page without the brackets and destinations of links. plain is the
// same part of [Body.Plain], with spaces instead of destinations.
func Readable(content, plain []byte) []byte {
	text := make([]byte, 0, len(plain))
	var brackets []int // offsets of open brackets in text
	for i := 0; i < len(plain); i++ {
		b := plain[i]
		last := len(brackets) - 1
		switch {
		case b == '[':
			brackets = append(brackets, len(text))
		case b != ']' || last < 0:
		case i+1 < len(plain) && plain[i+1] == ' ' && (content[i+1] == '(' || content[i+1] == '['):
			text = withoutBracket(text, brackets[last])
			brackets = brackets[:last]
			looked, ends := destinationEnd(content[i+1:])
			if i += looked; !ends { // the content is cut off there
				return text
			}
			continue
		default:
			brackets = brackets[:last]
		}
		text = append(text, b)
	}
	return text
}

func withoutBracket(text []byte, at int) []byte {
	from := at
	if from > 0 && text[from-1] == '!' {
		from--
	}
	return slices.Delete(text, from, at+1)
}

// TrimIndentation removes the indentation from the lines of an MDX text, because it only
// mirrors the tags around them.
func TrimIndentation(text []byte) []byte { return indentation().ReplaceAll(text, nil) }

var indentation = lazy.Regexp(`(?m)^[ \t]+`)

// BareLines returns the lines of a text with single spaces between words, without line ends and the
// marks of headings. hasText is false for lines of markup alone, such as fences and rules.
func BareLines(text []byte) iter.Seq2[string, bool] {
	return func(yield func(bare string, hasText bool) bool) {
		for line := range bytes.Lines(text) {
			bare := fold(string(line))
			hasText := true
			heading := strings.TrimLeft(bare, "#")
			if isHeading := heading != bare && strings.HasPrefix(heading, " "); isHeading {
				bare = heading[1:]
			} else if isMarkup().MatchString(bare) || FenceOf([]byte(bare)).IsOpen() || strings.Trim(bare, "|-: ") == "" {
				hasText = false
			}
			if !yield(bare, hasText) {
				return
			}
		}
	}
}
