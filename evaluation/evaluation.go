// Package evaluation measures how well a cache answers queries of which it is
// known what the right documents are. It is pure; reading files and asking the
// cache is for others.
//
//	ParseQueries ──┐
//	               ├→ NewTask → ( Task.Score, once a query ) → Task.Report → Report.Check
//	ParseJudgments ┘
//
// The measures are those of trec_eval, and one of our own, which is about what a
// budget has room for (docs/evaluation.md).
//
// # Determinism
//
// The same files and the same answers give the same report, on every platform:
// sums are in the order of the queries, logarithms are constants, and what is
// printed or compared is rounded to four digits before.
package evaluation

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// eachLine calls visit with every line that is not blank, as text without line
// feed, and with its number. Errors get the name of the file and the number of
// the line. A byte order mark at the beginning is no text.
func eachLine(name string, data []byte, visit func(line string, number int) error) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return fmt.Errorf("%s:%d: it is not UTF-8", name, number)
		}
		if err := visit(string(bytes.TrimRight(line, "\r\n")), number); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return nil
}
