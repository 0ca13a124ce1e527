package agent

import (
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/words"
)

// A CodeFilter chooses blocks of code by their language. The zero CodeFilter is off.
type CodeFilter struct {
	text      string
	isAny     bool
	languages []string // as returned by languageOf
}

// AnyCode is the text of the [CodeFilter] for all blocks.
const AnyCode = "any"

// mostLanguages is how many languages a [CodeFilter] can contain.
const mostLanguages = 20

// ParseCode parses [AnyCode] or a list of languages such as "go,bash". An empty text returns the
// zero CodeFilter. Every error is an [ArgumentError].
func ParseCode(text string) (CodeFilter, error) {
	c := CodeFilter{text: text}
	if text == "" {
		return c, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		language := languageOf(name)
		switch {
		case name == AnyCode:
			return CodeFilter{text: text, isAny: true}, nil
		case language == "" || strings.ContainsAny(name, " {}="):
			return CodeFilter{}, argumentErrorf("expected %s, or languages such as go,bash", AnyCode)
		case !slices.Contains(c.languages, language):
			c.languages = append(c.languages, language)
		}
		if len(c.languages) > mostLanguages {
			return CodeFilter{}, argumentErrorf("expected at most %d languages, or %s", mostLanguages, AnyCode)
		}
	}
	return c, nil
}

// Text returns the text that [ParseCode] has parsed.
func (c CodeFilter) Text() string { return c.text }

// IsOn reports whether an answer is limited to code.
func (c CodeFilter) IsOn() bool { return c.isAny || len(c.languages) > 0 }

// has reports whether c chooses blocks of a language, which is "" if a block doesn't name a
// language.
func (c CodeFilter) has(language string) bool {
	return c.isAny || slices.Contains(c.languages, language)
}

// String describes the chosen code without control characters.
func (c CodeFilter) String() string {
	if c.isAny {
		return "code"
	}
	return words.Printable(strings.Join(c.languages, " or ")) + " code"
}

// languages are common languages with their other names. docs/agents.md lists them.
var languages = [][]string{
	{"sh", "bash", "shell", "console", "terminal", "zsh", "ksh", "shell-session", "sh-session", "shellsession", "bash-session"},
	{"powershell", "ps1", "pwsh", "posh"},
	{"bat", "cmd", "dos", "batch"},
	{"js", "javascript", "jsx", "mjs", "cjs", "node"},
	{"ts", "typescript", "tsx", "mts"},
	{"py", "python", "python3", "py3", "pycon"},
	{"yaml", "yml"},
	{"json", "jsonc", "json5"},
	{"go", "golang"},
	{"rust", "rs"},
	{"ruby", "rb"},
	{"csharp", "cs", "c#"},
	{"cpp", "c++", "cxx", "cc"},
	{"kotlin", "kt", "kts"},
	{"html", "htm"},
	{"dockerfile", "docker"},
	{"makefile", "make", "mk"},
	{"hcl", "terraform", "tf"},
	{"protobuf", "proto"},
	{"markdown", "md"},
	{"text", "txt", "plaintext", "plain"},
	{"java"},
	{"c"},
	{"php"},
	{"sql"},
	{"toml"},
	{"xml"},
	{"css"},
	{"diff"},
	{"ini"},
	{"swift"},
	{"lua"},
	{"perl"},
	{"r"},
}

// languageNames maps every name of a language to its first name.
var languageNames = func() map[string]string {
	names := map[string]string{}
	for _, all := range languages {
		for _, name := range all {
			names[name] = all[0]
		}
	}
	return names
}()

// IsLanguages reports whether a text is a list of names of common languages, separated by
// commas.
func IsLanguages(text string) bool {
	for name := range strings.SplitSeq(text, ",") {
		if languageNames[strings.ToLower(name)] == "" {
			return false
		}
	}
	return true
}

// languageOfFence returns the language of a code block from its info string, which can also be {r}
// or {code-block} go. isCode is false for directives of MyST with text, such as {note}.
func languageOfFence(info string) (language string, isCode bool) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(info, "{"), "}")
	isDirective := strings.HasPrefix(info, "{") && !strings.ContainsAny(name, ".#=")
	if language = languageOf(info); !isDirective || languageNames[language] != "" {
		return language, true
	}
	isCode = slices.Contains([]string{"code", "code-block", "code-cell", "sourcecode"}, name)
	return languageOf(rest), isCode
}

// longestLanguage is the maximum size in bytes of a language's name.
const longestLanguage = 30

// languageOf returns the language at the beginning of an info string, as its first name in lower
// case: "go" for "Go title=x", "{.golang}" and "go,linenos".
func languageOf(info string) string {
	info = strings.TrimLeft(info, " \t{.")
	if end := strings.IndexAny(info, " \t,;:{}()[]=\"'"); end >= 0 {
		info = info[:end]
	}
	info = strings.ToLower(clip(info, longestLanguage))
	if name, isKnown := languageNames[info]; isKnown {
		return name
	}
	return info
}
