// Package instructions knows the files that clients send to a model with every request, and
// the index of pages that context outline --into keeps in them.
//
// An index depends on the cache, so the cache must not depend on the index. Otherwise,
// updating either would make the other out of date.
package instructions

import (
	"bytes"

	"github.com/contextcompiler/context/internal/pages/markdown"
)

// Files are the usual names of such files.
var Files = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}

// The lines around an index.
const (
	Begin = "<!-- context outline: begin -->"
	End   = "<!-- context outline: end -->"
)

// Skill is a line of every skill written by context skill --into.
const Skill = "<!-- context skill: written by context skill, which replaces this file -->"

// HasIndex reports whether a text contains an index.
func HasIndex(text []byte) bool {
	return bytes.Contains(text, []byte(Begin)) && LineOf(text, Begin) >= 0
}

// LineOf returns the offset of the first line that equals mark, or -1. Lines in fenced code
// are examples and don't count.
func LineOf(text []byte, mark string) int {
	at := 0
	var fence markdown.Fence
	for line := range bytes.Lines(text) {
		body := bytes.TrimLeft(line, " ")
		if !fence.IsOpen() && string(bytes.TrimRight(line, " \t\r\n")) == mark {
			return at
		}
		if fence.IsOpen() || len(line)-len(body) < 4 {
			fence.Read(body)
		}
		at += len(line)
	}
	return -1
}
