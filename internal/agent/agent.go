// Package agent answers agents, and people at a shell, in Markdown. Start with [Ask],
// [Search], [Read], [Outline] and [Grep]; each is a command and a tool.
//
// An answer is for a model to read, so it is small: short handles stand for IDs, and what
// frames a text takes a few percent of it. Texts stand as they are in their pages, between
// marks that no text can forge (type textFrame). Everything else is one line without control
// characters. The same request to the same caches gives the same bytes.
package agent

import "fmt"

// An ArgumentError is a fault in a request that the caller can correct. It says how, in a
// line that is fit to print, or in several.
type ArgumentError string

func (e ArgumentError) Error() string { return string(e) }

func argumentErrorf(format string, args ...any) error {
	return ArgumentError(oneLine(fmt.Sprintf(format, args...)))
}
