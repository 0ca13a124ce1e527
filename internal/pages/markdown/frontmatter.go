package markdown

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// byteOrderMark would hide front matter or a heading from the parser.
var byteOrderMark = []byte("\ufeff")

// SplitFrontMatter returns the front matter at the start of a page and the offset after its
// last line. Without front matter, fields is nil and end is 0, or the offset after a byte
// order mark. There are three forms:
//
//	YAML  between --- and --- or ...
//	TOML  between +++ and +++
//	JSON  an object whose first line begins with { and whose last line ends with }
//
// The fields include the opening line. YAML itself reads it as the start of a document. Spaces
// can follow the lines of hyphens or plus signs. Neither this function nor the
// Markdown parser ends a line at a lone CR.
//
// Because a page can also begin with a rule, lines between hyphens are front matter only if
// they look like fields. They don't have to be valid. Otherwise they are text.
//
// If front matter doesn't end, or doesn't begin in the first line, SplitFrontMatter returns an
// error and no fields. The front matter still ends at end, because no reader should take it for
// text.
func SplitFrontMatter(content []byte) (fields []byte, end int, err error) {
	body := bytes.TrimPrefix(content, byteOrderMark)
	start := len(content) - len(body)
	lead := leadSize(body)
	size, end, err := frontMatterAt(body[lead:])
	switch {
	case end == 0 || lead > 0 && err != nil:
		return nil, start, nil
	case lead > 0:
		err = errors.New("it must begin in the first line")
	}
	if err != nil {
		return nil, start + lead + end, err
	}
	return body[:size], start + end, nil
}

// leadSize returns the size of the blank lines and HTML comments at the start of a text.
func leadSize(text []byte) (size int) {
	for size < len(text) {
		line := text[size:lineEnd(text, size)]
		if comment := text[size:]; bytes.HasPrefix(comment, []byte("<!--")) {
			_, after, isClosed := bytes.Cut(comment, []byte("-->"))
			if line = firstLine(after); !isClosed || !isBlank(line) {
				return size
			}
			size = len(text) - len(after)
		} else if !isBlank(line) {
			return size
		}
		size += len(line)
	}
	return size
}

// frontMatterAt returns the size of the fields at the start of a text and where the front
// matter ends, or 0 twice.
func frontMatterAt(text []byte) (size, end int, err error) {
	first := firstLine(text)
	switch {
	case isDelimiter(first, "---"):
		return fencedFields(text, "the line of three hyphens that ends it is missing", hasYAMLFields, "---", "...")
	case isDelimiter(first, "+++"):
		return fencedFields(text, "the line of three plus signs that ends it is missing", hasTOMLFields, "+++")
	case hasJSONFields(text):
		return jsonFields(text)
	}
	return 0, 0, nil
}

// fencedFields reads front matter up to one of the delimiters, provided that its lines look like
// fields, as has reports.
func fencedFields(text []byte, missing string, has func(lines []byte) bool, delimiters ...string) (size, end int, err error) {
	first := len(firstLine(text))
	size, end = frontMatterEnd(text, delimiters...)
	if end < 0 {
		size, err = blankLineAfter(text, first), errors.New(missing)
		end = size
	}
	lines := text[first:size]
	isRule := err != nil && (bytes.HasPrefix(lines, []byte("#")) || !bytes.ContainsAny(lines, ":="))
	if isRule || !has(lines) {
		return 0, 0, nil
	}
	return size, end, err
}

// blankLineAfter returns where the next blank line begins, or the size of the text.
func blankLineAfter(text []byte, at int) int {
	for at < len(text) && !isBlank(text[at:lineEnd(text, at)]) {
		at = lineEnd(text, at)
	}
	return at
}

// hasYAMLFields reports whether lines look like a mapping that an author meant as front matter,
// rather than like text between two rules. "Note: stop it first." is a mapping, but meant as text.
// Comments alone are headings if a blank line comes before them.
func hasYAMLFields(lines []byte) bool {
	isFirst, hasComment := true, false
	for line := range bytes.Lines(lines) {
		text := strings.TrimSpace(string(line))
		switch isIndented := line[0] == ' ' || line[0] == '\t'; {
		case text == "":
		case text[0] == '#':
			hasComment = true
		case isFirst && isYAMLStart(text) || isField(text) && (isFirst || !isIndented):
			return true
		case isFirst && !isPair(text), !isFirst && !isIndented && text[0] != '-' && !isPair(text):
			return false
		default:
			isFirst = false
		}
	}
	return isFirst && !(hasComment && isBlank(firstLine(lines)))
}

// isYAMLStart reports whether the first line of a mapping, or of an empty document, is of the rare
// kinds without a plain key.
func isYAMLStart(line string) bool {
	if inside, isFlow := strings.CutPrefix(line, "{"); isFlow {
		key, _, isPair := strings.Cut(inside, ":")
		key = strings.Trim(key, ` "'`)
		return line == "{}" || isPair && key != "" && !strings.ContainsAny(key, "{}%<>#")
	}
	return line == "~" || line == "null" || strings.HasPrefix(line, "? ")
}

// orderedItem begins an item of an ordered list.
var orderedItem = lazy.Regexp(`^[0-9]+[.)] `)

// pairOf reads a line such as "key: value".
func pairOf(line string) (key, value string, isPair bool) {
	for at := 0; ; at++ {
		next := strings.IndexByte(line[at:], ':')
		if next < 0 {
			return "", "", false
		}
		at += next
		if rest := line[at+1:]; rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			key, value = strings.TrimSpace(line[:at]), strings.TrimSpace(rest)
			break
		}
	}
	if quote := line[:1]; (quote == `"` || quote == "'") && len(key) > 1 && strings.HasSuffix(key, quote) {
		key = key[1 : len(key)-1]
	}
	isItem := strings.HasPrefix(line, "+ ") || orderedItem().MatchString(line)
	isPair = key == "<<" || key != "" && !isItem && !strings.ContainsAny(key, "*`|[]{}<>\"") && !strings.ContainsAny(key[:1], "-?&!%@#")
	return key, value, isPair
}

func isPair(line string) bool {
	_, _, isPair := pairOf(line)
	return isPair
}

// isField reports whether a line is a pair of a name and a value, rather than a sentence after a
// word such as Note or "Before you begin". Sentences begin with a capital letter.
func isField(line string) bool {
	key, value, isPair := pairOf(line)
	words := len(strings.Fields(key))
	isText := value == "" || strings.ContainsAny(value, " \t") && !strings.ContainsAny(value[:1], "\"'[{&*!|>")
	first, _ := utf8.DecodeRuneInString(key)
	isName := !unicode.IsUpper(first) || strings.ContainsAny(key, "_-.:") || capitalFields[key]
	return isPair && words < 3 && (!isText || words == 1 && isName)
}

// capitalFields are the usual names of fields that authors begin with a capital letter.
var capitalFields = map[string]bool{
	"Author": true, "Authors": true, "Categories": true, "Category": true, "Date": true, "Keywords": true, "Layout": true, "Tags": true, "Title": true,
}

// hasTOMLFields reports whether the first line is a field or begins a table.
func hasTOMLFields(lines []byte) bool {
	for line := range bytes.Lines(lines) {
		text := bytes.TrimSpace(line)
		if len(text) > 0 && text[0] != '#' {
			return text[0] == '[' || bytes.IndexByte(text, '=') > 0
		}
	}
	return true
}

// hasJSONFields reports whether a text begins like an object with a member.
func hasJSONFields(text []byte) bool {
	inside, isObject := bytes.CutPrefix(text, []byte("{"))
	key, isText := bytes.CutPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"`))
	_, after, isKey := bytes.Cut(firstLine(key), []byte(`"`))
	return isObject && isText && isKey && bytes.HasPrefix(bytes.TrimLeft(after, " \t"), []byte(":"))
}

// jsonFields returns where an object at the start of a text ends, and the line of its end. A broken
// object ends at a line with nothing but its brace, or else before the first blank line.
func jsonFields(text []byte) (size, end int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var object json.RawMessage
	if decoder.Decode(&object) == nil {
		size := int(decoder.InputOffset())
		if end := lineEnd(text, size); isBlank(text[size:end]) {
			return size, end, nil
		}
		return 0, 0, nil
	}
	err = errors.New("its JSON is broken")
	if _, end := frontMatterEnd(text, "}"); end > 0 {
		return end, end, err
	}
	end = blankLineAfter(text, 0)
	return end, end, err
}

// frontMatterEnd returns where the closing line begins and ends, or -1 twice.
func frontMatterEnd(content []byte, delimiters ...string) (start, end int) {
	for at := lineEnd(content, 0); at < len(content); {
		end := lineEnd(content, at)
		for _, delimiter := range delimiters {
			if isDelimiter(content[at:end], delimiter) {
				return at, end
			}
		}
		at = end
	}
	return -1, -1
}

func isDelimiter(line []byte, delimiter string) bool {
	return string(bytes.TrimRight(line, " \t\r\n")) == delimiter
}

// TitleIn returns the title in front matter, because many pages contain no heading of level
// 1. It returns "" if the title takes more than a line: it decodes neither YAML nor TOML.
func TitleIn(frontMatter []byte) string {
	text := bytes.TrimPrefix(frontMatter, byteOrderMark)
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		var fields map[string]any
		_ = json.Unmarshal(text, &fields)
		title, _ := fields["title"].(string)
		return title
	case isDelimiter(firstLine(text), "+++"):
		return titleInTOML(text)
	}
	for line := range bytes.Lines(text) {
		if value, found := bytes.CutPrefix(line, []byte("title:")); found {
			return plainScalar(strings.TrimSpace(string(value)))
		}
	}
	return ""
}

func titleInTOML(text []byte) string {
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), "=")
		switch value = strings.TrimSpace(value); {
		case strings.HasPrefix(key, "["): // the fields of a table follow
			return ""
		case strings.Trim(strings.TrimSpace(key), `"'`) != "title":
		case strings.HasPrefix(value, `"`):
			quoted, _ := strconv.QuotedPrefix(value)
			title, _ := strconv.Unquote(quoted)
			return title
		case strings.HasPrefix(value, "'"):
			title, _, _ := strings.Cut(value[1:], "'")
			return title
		}
	}
	return ""
}

// plainScalar returns a YAML value without its quotes, or "" if it continues on the next
// line.
func plainScalar(value string) string {
	if value == "" || strings.ContainsRune("|>&*!", rune(value[0])) {
		return ""
	}
	if quote := value[:1]; len(value) > 1 && (quote == `"` || quote == "'") && strings.HasSuffix(value, quote) {
		return value[1 : len(value)-1]
	}
	return value
}
