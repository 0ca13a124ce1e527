package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// What stands between these lines is written by hand, and kept.
const (
	notesBegin = "<!-- notes -->"
	notesEnd   = "<!-- /notes -->"
)

// writeKeepingNotes writes text to path with the notes of what is there.
func writeKeepingNotes(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(keepNotes(string(old), text)), 0o666)
}

// keepNotes returns text with the notes of old in the place of its own.
func keepNotes(old, text string) string {
	_, notes, _, had := cutNotes(old)
	before, _, after, has := cutNotes(text)
	if !had || !has {
		return text
	}
	return before + notesBegin + notes + notesEnd + after
}

func cutNotes(text string) (before, notes, after string, found bool) {
	before, rest, begun := strings.Cut(text, notesBegin)
	notes, after, ended := strings.Cut(rest, notesEnd)
	return before, notes, after, begun && ended
}
