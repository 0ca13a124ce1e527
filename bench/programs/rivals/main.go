// Command rivals indexes and queries Markdown with SQLite's full-text search.
// bench/programs/rounds compares context with it. The commands eval and agent also
// run context.
//
//	rivals index DIR DB            put every *.md below DIR into a new database
//	rivals query DB QUERY BUDGET   print the best documents, up to BUDGET bytes
//	rivals eval SET                answer the questions of a test set with context and FTS5, and print
//	                               measures, and the differences with bootstrap intervals
//	rivals agent SET               ask context as an agent and print what the steps cost
package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"

	_ "modernc.org/sqlite"
)

var errUsage = errors.New("usage: rivals index DIR DB | rivals query DB QUERY BUDGET | rivals eval SET | rivals agent SET")

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "index":
		return index(args[1], args[2])
	case len(args) == 4 && args[0] == "query":
		budget, err := strconv.Atoi(args[3])
		if err != nil {
			return fmt.Errorf("budget %q is not a number", args[3])
		}
		return query(args[1], args[2], budget)
	case len(args) == 2 && args[0] == "eval":
		return evaluate(args[1])
	case len(args) == 2 && args[0] == "agent":
		return compare(args[1])
	}
	return errUsage
}

// open opens the database at path. It uses a single connection, because pragmas
// only apply to their own.
func open(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
