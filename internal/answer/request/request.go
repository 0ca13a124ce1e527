// Package request declares the requests of package agent once for all who make them: the commands,
// the tools of the MCP server, and the page.
//
// A request is a list of parameters, each bound to a part of its struct in package agent. The
// flags, the JSON Schema of a tool, the decoder of its arguments, the checks, and the command or
// the call that the page shows all derive from these parameters. So they cannot disagree.
package request

import (
	"errors"
	"fmt"
	"strings"

	"github.com/contextcompiler/context/internal/answer/agent"
	"github.com/contextcompiler/context/selection"
)

// A CacheScope chooses the caches of a request.
type CacheScope struct {
	Caches  []string // names; nil means all
	Product string   // NAME[@VERSION]; "" means every product
}

// Search returns the parameters of a search.
func Search(r *agent.SearchRequest, from *CacheScope) []Parameter {
	return []Parameter{
		query.To(&r.Query), Caches.To(&from.Caches), product.To(&from.Product), path.To(&r.Filter.Paths), where.To(&r.Filter.Where),
		code.To(&r.Code), Hits.To(&r.Limit), minScore(agent.SearchMinScore).To(&r.MinScore),
	}
}

// Ask returns the parameters of a question.
func Ask(r *agent.AskRequest, from *CacheScope) []Parameter {
	return []Parameter{
		query.To(&r.Query), Caches.To(&from.Caches), product.To(&from.Product), path.To(&r.Filter.Paths), where.To(&r.Filter.Where),
		code.To(&r.Code), minScore(agent.AskMinScore).To(&r.MinScore), Tokens("budget", "print at most `N` tokens of text").To(&r.Budget),
		have.To(&r.Have),
	}
}

// Read returns the parameters for reading texts.
func Read(r *agent.ReadRequest, from *CacheScope) []Parameter {
	return []Parameter{
		ids.To(&r.References), Caches.To(&from.Caches), Tokens("max_tokens", "print at most `N` tokens of text").To(&r.MaxTokens),
	}
}

// Outline returns the parameters of an outline.
func Outline(r *agent.OutlineRequest, from *CacheScope) []Parameter {
	return []Parameter{
		Caches.To(&from.Caches), path.To(&r.Filter.Paths), where.To(&r.Filter.Where), Depth.To(&r.Depth), Tokens("budget", "print at most `N` tokens").To(&r.Budget),
	}
}

// Grep returns the parameters of a search for exact text. around is the number of lines before and
// after each match.
func Grep(r *agent.GrepRequest, around *int, from *CacheScope) []Parameter {
	return []Parameter{
		pattern.To(&r.Pattern), isRegexp.To(&r.IsRegexp), ignoreCase.To(&r.IgnoreCase), lines.To(around),
		Caches.To(&from.Caches), product.To(&from.Product), path.To(&r.Filter.Paths), where.To(&r.Filter.Where),
		code.To(&r.Code), matches.To(&r.Limit),
	}
}

// Diff returns the parameters for comparing two caches.
func Diff(r *agent.DiffRequest, old, new *string) []Parameter {
	return []Parameter{
		from.To(old), to.To(new), topic.To(&r.Query), path.To(&r.Paths), Tokens("budget", "print at most `N` tokens; JSON: no limit").To(&r.Budget),
	}
}

// Select returns the parameters of a selection that all its commands share.
func Select(r *selection.Request) []Parameter {
	return []Parameter{path.To(&r.Filter.Paths), where.To(&r.Filter.Where), minScore(0).To(&r.MinScore)}
}

var (
	query = Parameter{Name: "query", Required: true, isFree: true, About: "The question, or words the text should contain"}

	// Caches names the caches of a request.
	Caches = Parameter{Name: "caches", isSeparated: true, About: "Names listed by context_caches; all if left out"}

	product = Parameter{Name: "product", About: "Only this product, in the highest version that fits, such as next@16"}

	path = Parameter{
		Name: "path", check: checkPattern, Usage: "choose pages that match `GLOB` (repeatable)",
		About: "Only pages at these paths: .gitignore patterns such as guide/; !PATTERN excludes",
	}
	where = Parameter{
		Name: "where", isPairs: true, check: checkPair, Usage: "choose pages by front matter `KEY=VALUE` (repeatable)",
		About: "Only pages with this front matter, such as topic=guide",
	}
	code = Parameter{
		Name: "code", isSeparated: true, Usage: "choose blocks of code, such as in `LANGUAGES` go,bash",
		About: "Only code blocks in these languages, such as go,bash, or any",
	}

	// Hits is the maximum of sections in the answer of a search.
	Hits = Parameter{
		Name: "limit", Least: 1, Most: agent.MostHits, isTools: true, Default: agent.DefaultLimit,
		Usage: "print at most `N` sections", About: "Most sections; %v if left out",
	}
	matches = Parameter{
		Name: "limit", Least: 1, Most: agent.MostGrepLines, isTools: true, // the default depends on context, so agent.Grep chooses it
		Usage: fmt.Sprintf("print at most `N` lines, or %d with context", agent.DefaultContextLines),
		About: fmt.Sprintf("Most lines; %d if left out, %d with context", agent.DefaultGrepLines, agent.DefaultContextLines),
	}
	ids = Parameter{Name: "ids", Required: true, About: "Handles or IDs of sections or pages"}

	// Depth is the lowest level of headings in an outline.
	Depth = Parameter{
		Name: "depth", Most: agent.DeepestHeadings, Default: agent.DeepestHeadings, Usage: "list `N` levels of headings; 0 lists only pages",
		About: "Levels of headings below the title; all if left out, 0 lists pages alone",
	}
	pattern    = Parameter{Name: "pattern", Required: true, isFree: true, About: "Text within a line, also tried as a regular expression (RE2)"}
	isRegexp   = Parameter{Name: "regexp", Letter: "E", Usage: "read PATTERN as a regular expression (RE2)", About: "Only as a regular expression"}
	ignoreCase = Parameter{Name: "ignore_case", Letter: "i", Usage: "ignore case"}
	lines      = Parameter{Name: "context", Most: agent.MostContext, About: "Lines around each match"}
	from       = Parameter{Name: "from", Required: true, About: "Old cache: its name, or its version as printed in answers"}
	to         = Parameter{Name: "to", Required: true, About: "New cache"}
	topic      = Parameter{Name: "query", isFree: true, About: "A question"}
	have       = Parameter{
		Name: "have", isSeparated: true, Usage: "leave out texts with these `VERSIONS` (repeatable)",
		About: "Versions of texts you already have, as printed in answers",
	}
)

// Tokens returns a parameter for a number of tokens, with the usage of its flag.
func Tokens(name, usage string) Parameter {
	return Parameter{
		Name: name, Least: 1, Most: agent.MostTokens, isTools: true, Default: agent.DefaultTokens,
		Usage: usage, About: "Most tokens (4 bytes each) of text; %v if left out",
	}
}

func minScore(byDefault uint64) Parameter {
	return Parameter{
		Name: "min_score", Default: byDefault, Usage: "drop scores below `SHARE` of the best, 0 to 1",
		About: "Least share of the best score; %v if left out, 0 takes all",
	}
}

func checkPattern(text string) error {
	if strings.TrimSpace(strings.TrimPrefix(text, "!")) == "" || strings.ContainsAny(text, "\n\x00") {
		return errors.New("expected a pattern such as 'guide/**' or '!drafts/'")
	}
	return nil
}

func checkPair(text string) error {
	if strings.Index(text, "=") < 1 {
		return errors.New("expected KEY=VALUE, such as topic=guide")
	}
	return nil
}
