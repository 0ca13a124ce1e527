package agent

import (
	"context"
	"strings"

	"github.com/contextcompiler/context/internal/ranking"
	"github.com/contextcompiler/context/selection"
)

// This file finds what a query contains that search drops because it is no word: the
// symbols of code.

// unsearched returns the parts of a query with symbols of code that are not searched, each
// once. Of a query without any term, these are all parts.
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

// termsIn returns the terms of a text.
func termsIn(text string) (terms []string) {
	query, err := selection.ParseQuery(strings.ToValidUTF8(text, " "))
	if err != nil {
		return nil // no query and no section is as large
	}
	return ranking.ParseQuery(query).Texts()
}
