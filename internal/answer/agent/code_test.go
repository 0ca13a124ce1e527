package agent

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contextcompiler/context/selection"
)

func TestTheLanguageOfCodeIsItsFirstWord(t *testing.T) {
	for info, want := range map[string]string{
		"":                       "",
		"go":                     "go",
		"Golang title=\"a.go\"":  "go",
		"console":                "sh",
		"js{1,3}":                "js",
		"rust,ignore":            "rust",
		"c#":                     "csharp",
		"C++":                    "cpp",
		"{.python .numberLines}": "py",
		"{r, echo=FALSE}":        "r",
		"{code-block} yaml":      "yaml",
		"go:main.go":             "go",
		"elixir":                 "elixir",
		"{note}":                 "text of a directive",
		"{admonition} Go":        "text of a directive",
	} {
		got, isCode := languageOfFence(info)
		if !isCode {
			got = "text of a directive"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", info, got, want)
		}
	}
}

// No name belongs to two languages, and callers can write each of them.
func TestTheNamesOfLanguagesAreTheirOwn(t *testing.T) {
	of := map[string]string{}
	for _, names := range languages {
		for _, name := range names {
			code, err := ParseCode(name)
			if err != nil || !slices.Equal(code.languages, names[:1]) || of[name] != "" {
				t.Errorf("%s: got %v, %v, want %s; it is a name of %q", name, code.languages, err, names[0], of[name])
			}
			of[name] = names[0]
		}
	}
}

func TestCodeIsAnyOrLanguages(t *testing.T) {
	for text, want := range map[string]string{"": "", "any": "code", "go": "go code", "Bash, sh,YML": "sh or yaml code", "go,any": "code", "elixir": "elixir code"} {
		code, err := ParseCode(text)
		got := ""
		if code.IsOn() {
			got = code.String()
		}
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{",", "go,", "go sh", "{go}", "a=b", strings.Repeat("a", mostLanguages) + "," + strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), ",")} {
		if code, err := ParseCode(text); err == nil {
			t.Errorf("%q: got %s, want an error", text, code)
		}
	}
}

func codeOf(t rapid.TB, text string) CodeFilter {
	t.Helper()
	code, err := ParseCode(text)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// The code in answers of ask consists of lines of the pages between their fences, and stays within
// the bounds of an answer.
func TestAnAnswerOfCodeIsCodeOfThePages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		set := setOf(t, dir, map[string]map[string]string{"": corpusOf().Draw(t, "corpus")})
		request := AskRequest{
			Query: lawQuery().Draw(t, "query"), Code: codeOf(t, "sh"),
			MinScore: rapid.Uint32Range(0, selection.One).Draw(t, "min score"), Budget: rapid.IntRange(1, 2000).Draw(t, "budget"),
		}
		answer, err := Markdown(Ask(t.Context(), set, request))
		if err != nil {
			t.Fatal(err)
		}
		if most := max(4*request.Budget+1000, request.Budget*9/2); len(answer) > most {
			t.Errorf("got %d bytes for %d tokens, want at most %d:\n%s", len(answer), request.Budget, most, answer)
		}
		texts, _ := splitAnswer(t, string(answer))
		pages := pagesOf(t, set)
		size := 0
		for _, text := range texts {
			size += tokensOf(len(text) - 1)
			opening, rest, _ := strings.Cut(text, "\n")
			body := strings.TrimSuffix(strings.TrimRight(rest, "\r\n"), "```")
			hasBody := func(p cachePage) bool {
				return strings.Contains(string(p.doc.Content), "\n"+body) && strings.HasSuffix(body, "\n")
			}
			if strings.TrimRight(opening, "\r") != "```sh" || body == rest || !slices.ContainsFunc(pages, hasBody) {
				t.Errorf("%q is no block of a page", text)
			}
		}
		if size > request.Budget {
			t.Errorf("got %d tokens, want at most %d:\n%s", size, request.Budget, answer)
		}
	})
}

// Code far below the best sections is not looked for, and the answer says so.
func TestOnlyTheBestSectionsAreSearchedForCode(t *testing.T) {
	var page strings.Builder
	for i := range mostLooked {
		fmt.Fprintf(&page, "# word %d\n\nword word", i)
		for j := range 80 {
			fmt.Fprintf(&page, " w%dx%d", i, j) // no section is like another
		}
		page.WriteString("\n\n")
	}
	plain := page.String()
	page.WriteString("# Last\n\n" + strings.Repeat("filler text of the last section\n", 40) + "\n```go\nword()\n```\n")
	for name, tc := range map[string]struct{ text, want string }{
		"without code": {plain, "no go code in the 1,000 sections that match: leave out code\n"},
		"beyond":       {page.String(), "no go code in the best 1,000 sections: leave out code\n"},
		"some":         {page.String() + "\n# word\n\n```go\nword word\n```\n" + strings.Repeat("\nword word\n", 60), "\n" + onlyBest + "\n"},
	} {
		set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": tc.text}})
		for command, answer := range map[string]func() ([]byte, error){
			"search": func() ([]byte, error) {
				return Markdown(Search(t.Context(), set, SearchRequest{Query: "word", Code: codeOf(t, "go")}))
			},
			"ask": func() ([]byte, error) {
				return Markdown(Ask(t.Context(), set, AskRequest{Query: "word", Code: codeOf(t, "go")}))
			},
		} {
			out, err := answer()
			if err != nil || !strings.Contains("\n"+string(out), tc.want) {
				t.Errorf("%s, %s: got %v\n%s", command, name, err, out)
			}
		}
	}
}

// If no line of code contains a word of the question, its first line is quoted.
func TestCodeWithoutAWordIsQuotedByItsFirstLine(t *testing.T) {
	set := setOf(t, t.TempDir(), map[string]map[string]string{"": {"a.md": "# Walrus\n\nA walrus.\n\n```go\nfirst()\nsecond()\n```\n"}})
	out, err := Markdown(Search(t.Context(), set, SearchRequest{Query: "walrus", Code: codeOf(t, "go")}))
	if err != nil || !strings.Contains(string(out), "    > first()\n") {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestTheDocsListTheNamesOfLanguages(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range languages {
		row := fmt.Sprintf("\n| `%s` | `%s` |\n", names[0], strings.Join(names[1:], "`, `"))
		if len(names) > 1 && !strings.Contains(string(docs), row) {
			t.Errorf("docs/agents.md lacks the row %s", row)
		}
	}
}
