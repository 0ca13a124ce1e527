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
	Document string // an ID or a path: see NewTask
	Grade    int    // 0 is not relevant; higher is better
	Line     int    // of the file, from 1
}

// header is the first line of the files of BEIR.
const header = "query-id\tcorpus-id\tscore"

// ParseJudgments reads judgments ("qrels"), one per line: query, document and grade
// with tabs between. It also reads the four columns of TREC, with tabs or spaces
// between, and ignores the second. A grade is an integer of 0 or more.
// ParseJudgments ignores blank lines, and a first line that is the header of BEIR.
//
// Errors begin with name, the name of the file, and the line.
func ParseJudgments(name string, data []byte) ([]Judgment, error) {
	var judgments []Judgment
	err := eachLine(name, data, func(line string, number int) error {
		if number == 1 && line == header {
			return nil
		}
		judgment, err := parseJudgment(line)
		judgment.Line = number
		judgments = append(judgments, judgment)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(judgments) == 0 {
		return nil, fmt.Errorf("%s: there is no judgment in it", name)
	}
	return judgments, nil
}

func parseJudgment(line string) (Judgment, error) {
	columns := columnsOf(line)
	if columns == nil {
		return Judgment{}, errors.New("want query, document and grade with tabs between, or query, 0, document and grade")
	}
	last := len(columns) - 1
	j := Judgment{Query: columns[0], Document: columns[last-1]}
	if j.Query == "" || j.Document == "" {
		return Judgment{}, errors.New("the query or the document is empty")
	}
	const bits = 31 // an int has them on every platform
	grade, err := strconv.ParseUint(columns[last], 10, bits)
	if err != nil {
		return Judgment{}, fmt.Errorf("the grade is %q: want an integer of 0 or more, below 2^%d", columns[last], bits)
	}
	j.Grade = int(grade)
	return j, nil
}

// columnsOf returns three or four columns, or nil.
func columnsOf(line string) []string {
	// Names with spaces have tabs between them.
	if columns := strings.Split(line, "\t"); len(columns) == 3 || len(columns) == 4 {
		return columns
	}
	if columns := strings.Fields(line); len(columns) == 4 {
		return columns
	}
	return nil
}
