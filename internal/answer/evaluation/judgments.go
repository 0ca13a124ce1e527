package evaluation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

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
