package evaluation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A Topic is a query with an ID.
type Topic struct {
	ID    string // never empty
	Query selection.Query
}

// ParseQueries reads queries, one JSON object per line: {"id": "7", "text": "how to
// install"}. Both members must be strings, and IDs must be unique and not empty.
// ParseQueries ignores other members and blank lines.
//
// Errors begin with name, the name of the file, and the line.
func ParseQueries(name string, data []byte) ([]Topic, error) {
	queries, err := parseTopics(name, data)
	if err == nil && len(queries) == 0 {
		err = fmt.Errorf("%s: there is no query in it", name)
	}
	return queries, err
}

// parseTopics is ParseQueries for a file that may be empty.
func parseTopics(name string, data []byte) (queries []Topic, err error) {
	lines := map[string]int{} // by ID
	err = eachLine(name, data, func(line string, number int) error {
		query, err := parseQuery(line)
		if err != nil {
			return err
		}
		if first, twice := lines[query.ID]; twice {
			return fmt.Errorf("duplicate id %q, first in line %d", query.ID, first)
		}
		lines[query.ID] = number
		queries = append(queries, query)
		return nil
	})
	return queries, err
}

func parseQuery(line string) (Topic, error) {
	var id, text string
	var hasText bool
	d := wire.NewDecoder([]byte(line))
	err := d.Object(func(key string) (err error) {
		switch key {
		case "id":
			id, err = stringOf(d, key)
		case "text":
			text, err = stringOf(d, key)
			hasText = true
		default:
			err = d.Skip()
		}
		return err
	})
	if err := cmp.Or(err, d.End()); err != nil {
		return Topic{}, fmt.Errorf(`%w; write one JSON object per line, such as {"id": "q1", "text": "how to install"}`, err)
	}
	if id == "" {
		return Topic{}, errors.New(`"id" is missing or empty`)
	}
	if !hasText {
		return Topic{}, errors.New(`"text" is missing`)
	}
	query, err := selection.ParseQuery(text)
	return Topic{id, query}, err
}

func stringOf(d *wire.Decoder, key string) (string, error) {
	if !d.NextIsString() {
		return "", fmt.Errorf("%q is not a string", key)
	}
	return d.String()
}

// A Judgment says how relevant a document is to a query.
type Judgment struct {
	Query    string // its ID
	Document string // an ID or a path; see NewTask
	Grade    int    // 0 means not relevant; higher is better
	Line     int    // of the file, from 1
}

// header is the first line of BEIR's files.
const header = "query-id\tcorpus-id\tscore"

// ParseJudgments reads judgments ("qrels"). Each line contains a query, a document
// and a grade, separated by tabs. It can also read TREC's four columns, separated
// by tabs or spaces, and ignores the second. A grade is an integer of 0 or more.
// ParseJudgments skips blank lines, and BEIR's header in the first line.
//
// Errors begin with name, the name of the file, and the line.
func ParseJudgments(name string, data []byte) ([]Judgment, error) {
	judgments, err := parseJudged(name, data)
	if err == nil && len(judgments) == 0 {
		err = fmt.Errorf("%s: there is no judgment in it", name)
	}
	return judgments, err
}

// parseJudged is ParseJudgments for a file that may be empty.
func parseJudged(name string, data []byte) (judgments []Judgment, err error) {
	err = eachLine(name, data, func(line string, number int) error {
		if number == 1 && line == header {
			return nil
		}
		judgment, err := parseJudgment(line)
		judgment.Line = number
		judgments = append(judgments, judgment)
		return err
	})
	return judgments, err
}

func parseJudgment(line string) (Judgment, error) {
	columns := columnsOf(line)
	if columns == nil {
		return Judgment{}, errors.New("expected query, document and grade separated by tabs, or query, 0, document and grade")
	}
	last := len(columns) - 1
	j := Judgment{Query: columns[0], Document: columns[last-1]}
	if j.Query == "" || j.Document == "" {
		return Judgment{}, errors.New("the query or the document is empty")
	}
	const bits = 31 // because an int may be that small
	grade, err := strconv.ParseUint(columns[last], 10, bits)
	if err != nil {
		return Judgment{}, fmt.Errorf("the grade is %q, expected an integer of 0 or more, below 2^%d", columns[last], bits)
	}
	j.Grade = int(grade)
	return j, nil
}

// columnsOf returns three or four columns, or nil.
func columnsOf(line string) []string {
	// Columns with tabs between them may contain spaces.
	if columns := strings.Split(line, "\t"); len(columns) == 3 || len(columns) == 4 {
		return columns
	}
	if columns := strings.Fields(line); len(columns) == 4 {
		return columns
	}
	return nil
}

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
