package analysis

import (
	"slices"
	"strings"
	"testing"
)

func symbolsOf(text string, as Reading) (all []string) {
	EachSymbol([]byte(text), as, func(s Symbol) { all = append(all, string(AppendSymbol(nil, []byte(text)[s.Start:s.End]))) })
	return all
}

func TestSymbolsAreFound(t *testing.T) {
	for _, test := range []struct {
		as   Reading
		text string
		want []string
	}{
		{Code, "dir 2>&1 | more 2> x 2>> y *>&1 $null", []string{"2>&1", "2>", "2>>", "*>&1", "$null"}},
		{Code, "$_.Name; ($_) $? $?. $$ !$x =$y \"$a\"", []string{"$_", "$_", "$?", "$?", "$$", "$x", "$y", "$a"}},
		{Code, "x ??= 1; a && b || !c; ${x}?.y", []string{"??=", "&&", "||", "${", "?."}},
		{Code, "$h = @{}; @( ) @(1) $(a) ${{ b }}", []string{"$h", "@{}", "@()", "@(", "$(", "${{"}},
		{Code, "git --dry-run -f -Dfoo.bar=-1 a-b --x=--y", []string{"--dry-run", "-f", "-dfoo.bar", "--x", "--y"}},
		{Code, "@Property a@b.c %w 50%x #include <x> c# C++17 i++ a->b std::vec", []string{"@property", "%w", "#include", "c#", "c++", "i++", "->", "::"}},
		{Code, "#[derive(A)] #![feature] ..= 0..9 &'static str, &'a T", []string{"#[derive", "#![feature", "..=", "..", "'static", "'a"}},
		{Code, "print('hello world', 'x') .env a.b ().c", []string{".env"}},
		{Code, "a <=>!. b, a <=>!.. b", []string{"<=>!."}}, // operators of five and six characters
		{Code, "`?` ? `%` % ` & `", []string{"?", "%"}},
		{Heading, "The ? operator, the '_ lifetime, - x", []string{"?", "'_"}},
		{Prose, "**bold** _it_ --- -> C++, C#/F# (.NET) well-known --dry-run $HOME @prop a & b 2>&1", []string{"c++", "c#", "f#", ".net", "--dry-run", "$home", "@prop"}},
		{Prose, "It's 'so', e.g. x{#z} ~ $5 #12 R&D A/B.", nil},
	} {
		if got := symbolsOf(test.text, test.as); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTheSymbolsOfAQueryAreTerms(t *testing.T) {
	for query, want := range map[string][]string{
		"redirect with 2>&1":                   {"2>&1"},
		"what does $_ mean?":                   {"$_"},
		"what is `$_`?":                        {"$_"},
		"the meaning of $?":                    {"$?"},
		"the meaning of $? here":               {"$?"},
		"??= operator":                         {"??="},
		"what does ?? do":                      {"??"},
		"an empty @{} or $( )":                 {"@{}", "$()"},
		"call by C++, not C":                   {"c++"},
		"C# or F# (or C++)?":                   {"c#", "f#", "c++"},
		"(a->b) and i++.":                      {"->", "i++"},
		"&& and || and && in bash":             {"&&", "||", "&&"},
		"regex [^a] or .*":                     {".*"},
		"how do I use `--dry-run` and -f?":     {"--dry-run", "-f"},
		"$HOME, @property, .env, Vec<T>, a.b":  {"$home", "@property", ".env"},
		"#[derive(Debug)], #include and %w":    {"#[derive", "#include", "%w"},
		"the 'static and '_ lifetimes, 'a too": {"'static", "'_", "'a"},
		"the ? operator and `&` and \"!\"":     {"?", "&", "!"},
		"is % an alias":                        {"%"},
		"$ ls | grep x > out":                  nil,
		"-- --":                                nil,
		"foo::bar(), x.y() and f(x)":           nil,
		"Don't \"quote\" (or bracket) words [here], e.g. R&D; A/B - tests: yes!": nil,
		"rock 'n' roll, 'tis 'so' and 'so on":                                    nil,
		"what ?":                                                                 nil,
		"really ??":                                                              nil,
		"quoi ? vraiment !":                                                      nil,
		"costs $5, ~30%, >=100, #12 or 5k+":                                      nil,
		"50 % of ~ 30, user@example.com":                                         nil,
		"1,000 at 3:30 (24/7), 1.5x.":                                            nil,
		"settings -> users > roles & more":                                       nil,
		"* an item\n# a heading\n---\n- [x] done":                                nil,
		"**bold** and *it* — “so” … «là»":                                        nil,
		"日本語「検索」。":                                                               nil,
		"C:\\ or U.S. or user@x":                                                 nil,
	} {
		var got []string
		for _, s := range QuerySymbols([]byte(query)) {
			got = append(got, string(AppendSymbol(nil, []byte(query)[s.Start:s.End])))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func TestCodeInAQueryIsShort(t *testing.T) {
	for size, want := range map[int]bool{64: true, 65: false} {
		field := "a|" + strings.Repeat("1", size-2)
		if got := codeIn(field, false, false) != ""; got != want {
			t.Errorf("a field of %d bytes is code: got %t, want %t", size, got, want)
		}
	}
}
