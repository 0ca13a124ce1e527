package main

import (
	"cmp"
	"database/sql"
	"io/fs"
	"os"
	"strings"
)

// toWrite suits a database written in a single transaction: the journal isn't on the disk, because
// a broken database can be built again, and only the end is synced.
const toWrite = `
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = NORMAL;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -65536;
CREATE VIRTUAL TABLE pages USING fts5(path UNINDEXED, content);`

// index puts the Markdown below dir into a new database, in a single transaction.
func index(dir, path string) error {
	db, err := open(path)
	if err != nil {
		return err
	}
	if _, err := db.Exec(toWrite); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	if err := insertAll(tx, os.DirFS(dir)); err != nil {
		return err
	}
	return cmp.Or(tx.Commit(), db.Close())
}

func insertAll(tx *sql.Tx, dir fs.FS) error {
	insert, err := tx.Prepare("INSERT INTO pages (path, content) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	return fs.WalkDir(dir, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		content, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		_, err = insert.Exec(path, string(content))
		return err
	})
}
