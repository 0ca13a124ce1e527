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
	Document string // as somebody wrote it: see NewTask
	Grade    int    // 0 is not relevant, a higher one more so
	Line     int    // where it stands
}

// header is what the files of BEIR begin with.
const header = "query-id\tcorpus-id\tscore"

// ParseJudgments reads judgments ("qrels"), one a line: query, document and grade
// with tabs between, or the four columns of TREC, which have a number that means
// nothing after the query, with tabs or spaces between. A grade is an integer of
// 0 or more. Blank lines are ignored, and so is a first line that is the header
// of BEIR's files.
//
// Its errors begin with name, which is the file's, and the line.
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
	const bits = 31 // as many as an int has on every platform, less the sign
	grade, err := strconv.ParseUint(columns[last], 10, bits)
	if err != nil {
		return Judgment{}, fmt.Errorf("the grade is %q: want an integer of 0 or more, below 2^%d", columns[last], bits)
	}
	j.Grade = int(grade)
	return j, nil
}

// columnsOf returns three columns or four, or nil.
func columnsOf(line string) []string {
	// What has spaces in it has tabs between.
	if columns := strings.Split(line, "\t"); len(columns) == 3 || len(columns) == 4 {
		return columns
	}
	if columns := strings.Fields(line); len(columns) == 4 {
		return columns
	}
	return nil
}
