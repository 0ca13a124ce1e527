// Package agent answers agents, and people at a shell, in Markdown. Start with [Ask],
// [Search], [Read], [Outline] and [Grep]; each is a command and a tool.
//
// Answers are small because models read them: short handles replace IDs, and the frames around
// texts take a few percent. Texts are printed unchanged, between marks no text can forge (see
// [Answer]). Everything else is single lines without control characters. The same request to the
// same caches always returns the same bytes.
package agent

import "fmt"

// An ArgumentError is a mistake in a request. It tells the caller how to correct the request, in
// text without control characters.
type ArgumentError string

func (e ArgumentError) Error() string { return string(e) }

func argumentErrorf(format string, args ...any) error {
	return ArgumentError(oneLine(fmt.Sprintf(format, args...)))
}
