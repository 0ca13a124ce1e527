package agent

import (
	"context"
	"strings"

	"github.com/contextcompiler/context/internal/answer/ranking"
	"github.com/contextcompiler/context/selection"
)

// This file finds symbols of code in a query. Search drops them because they are not words.

// unsearched returns the parts of a query with symbols of code that search ignores, each only once.
// If the query contains no term at all, it returns all parts.
func unsearched(ctx context.Context, query string) (parts []string, err error) {
	hasTerms := len(termsIn(query)) > 0
	isSeen := map[string]bool{}
	for field := range ranking.QueryFields(query) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		part := field.Code
		if part == "" && !hasTerms {
			part = field.Text
		}
		if part != "" && !isSeen[part] && !field.HasSymbol {
			isSeen[part] = true
			parts = append(parts, part)
		}
	}
	return parts, nil
}

func termsIn(text string) (terms []string) {
	query, err := selection.ParseQuery(strings.ToValidUTF8(text, " "))
	if err != nil {
		return nil // the text is too large, which no query and no section is
	}
	return ranking.ParseQuery(query).Texts()
}
