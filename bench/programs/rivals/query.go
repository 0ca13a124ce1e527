package main

import (
	"bufio"
	"cmp"
	"database/sql"
	"encoding/json"
	"os"
	"strings"
)

// A page is a line of output.
type page struct {
	Path    string  `json:"path"`
	Content string  `json:"content"`
	Score   float64 `json:"score"`
}

const toSelect = `SELECT path, content, bm25(pages) FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?`

// candidates bounds how many pages are tried for the budget. Unlike `context
// resolve`, SQLite must read a page to learn its size, so it needs this bound.
const candidates = 50

// query prints the pages containing any word of text, the best by bm25 first. It skips pages larger
// than the rest of the budget.
func query(path, text string, budget int) error {
	db, err := open("file:" + path + "?mode=ro")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(toSelect, anyOf(text), candidates)
	if err != nil {
		return err
	}
	defer rows.Close()
	return printPages(rows, budget)
}

func printPages(rows *sql.Rows, budget int) error {
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for rows.Next() {
		var p page
		if err := rows.Scan(&p.Path, &p.Content, &p.Score); err != nil {
			return err
		}
		if len(p.Content) > budget {
			continue
		}
		budget -= len(p.Content)
		if err := lines.Encode(p); err != nil {
			return err
		}
	}
	return cmp.Or(rows.Err(), out.Flush())
}

// anyOf returns the FTS5 expression for documents with any word of text.
func anyOf(text string) string {
	var words []string
	for word := range strings.FieldsSeq(text) {
		words = append(words, `"`+strings.ReplaceAll(word, `"`, `""`)+`"`)
	}
	return strings.Join(words, " OR ")
}
