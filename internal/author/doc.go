// Package author shows caches to the people who own the documentation: the report, the page, and
// the output on terminals. Its packages may import all others but acquire. Start with review.Gather
// and web.New.
package author
