// Package evaluation scores a cache against queries with relevance judgments. It is
// pure, because the caller reads the files and asks the cache. Start with
// [NewTask].
//
//	ParseQueries ──┐
//	               ├→ NewTask → ( Task.Score, once a query ) → Task.Report → TaskReport.Check
//	ParseJudgments ┘
//
// Its measures are some of trec_eval's, and budgeted recall, our own measure of the
// bundle that fits a budget (docs/evaluation.md).
//
// # Determinism
//
// The same files and the same answers result in the same report on every platform.
// For this, sums follow the order of the queries, logarithms are constants, and
// measures are rounded to four digits before they are compared or printed.
package evaluation

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// eachLine calls visit with every line that is not blank, without its line feed,
// and with its number. Errors begin with the name of the file and the number of the
// line. A byte order mark at the beginning is skipped.
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
