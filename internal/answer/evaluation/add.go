package evaluation

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A TaskFile is a file of queries or judgments. Its data may be empty.
type TaskFile struct {
	Name string
	Data []byte
}

// Add appends a query to the file of queries, and a judgment for each right answer
// to the file of judgments. Both files keep their format. The new ID continues the
// others.
//
// Add fails if the file already contains the query, if the corpus does not contain
// a page or section of right, or if a file is malformed.
func Add(queries, judgments TaskFile, query selection.Query, right []string, corpus Corpus) (id string, newQueries, newJudgments []byte, err error) {
	topics, judged, err := parseBoth(queries, judgments)
	if err != nil {
		return "", nil, nil, err
	}
	for _, topic := range topics {
		if isSameText(topic.Query.Text(), query.Text()) {
			return "", nil, nil, fmt.Errorf("%s already contains this query with the id %q: add its judgments to %s", queries.Name, topic.ID, judgments.Name)
		}
	}
	seen := map[string]bool{}
	for _, name := range right {
		found, err := corpus.find(name)
		if err != nil {
			return "", nil, nil, err
		}
		if seen[found] {
			return "", nil, nil, fmt.Errorf("%q is named twice", name)
		}
		seen[found] = true
	}
	id = nextID(topics, judged)
	newQueries = withLine(queries.Data, queryLine(queries.Data, id, query.Text()))
	newJudgments = judgments.Data
	for _, name := range right {
		newJudgments = withLine(newJudgments, judgmentLine(judgments.Data, id, name))
	}
	_, _, err = parseBoth(TaskFile{queries.Name, newQueries}, TaskFile{judgments.Name, newJudgments})
	return id, newQueries, newJudgments, err
}

func parseBoth(queries, judgments TaskFile) (topics []Topic, judged []Judgment, err error) {
	if !isBlank(queries.Data) {
		topics, err = ParseQueries(queries.Name, queries.Data)
	}
	if err == nil && len(dataLines(judgments.Data)) > 0 {
		judged, err = ParseJudgments(judgments.Name, judgments.Data)
	}
	return topics, judged, err
}

func isBlank(data []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))) == 0
}

// isSameText reports whether two queries differ only in case and white space.
func isSameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// find checks that the corpus contains a page or a section, and returns its canonical name.
func (c Corpus) find(name string) (string, error) {
	if strings.ContainsAny(name, "\t\r\n") {
		return "", fmt.Errorf("%q contains a tab or a line break, which judgments cannot contain", name)
	}
	all := corpusPages(c.Documents)
	id, fragment := all.resolve(name)
	if !all.has(id) {
		return "", fmt.Errorf("the cache does not contain the page %q: name a page by its ID or path, and a section like page.md#setup", name)
	}
	if fragment == "" {
		return string(id), nil
	}
	span, err := c.Span(id, fragment)
	return fmt.Sprintf("%s#B%d-B%d", id, span.Start, span.End), err
}

// nextID returns an ID that no query and no judgment uses. It takes the prefix of
// the last query ID that ends in a number, and appends the highest number of this
// prefix plus 1. If no ID ends in a number, it returns q1 or the next free ID.
func nextID(topics []Topic, judged []Judgment) string {
	isTaken := map[string]bool{}
	for _, t := range topics {
		isTaken[t.ID] = true
	}
	for _, j := range judged {
		isTaken[j.Query] = true
	}
	prefix, width, highest := "q", 0, uint64(0)
	for _, t := range slices.Backward(topics) {
		if before, digits, _, ok := splitNumber(t.ID); ok {
			prefix = before
			if digits[0] == '0' { // keep the padding, so that IDs still sort
				width = len(digits)
			}
			break
		}
	}
	for id := range isTaken {
		if before, _, n, ok := splitNumber(id); ok && before == prefix {
			highest = max(highest, n)
		}
	}
	for n := highest + 1; ; n++ {
		if id := fmt.Sprintf("%s%0*d", prefix, width, n); !isTaken[id] {
			return id
		}
	}
}

// splitNumber splits an ID before the number at its end. It is false if there is no
// number, or if the number cannot be incremented.
func splitNumber(id string) (prefix, digits string, n uint64, ok bool) {
	prefix = strings.TrimRight(id, "0123456789")
	digits = id[len(prefix):]
	const mostDigits = 18
	if digits == "" || len(digits) > mostDigits {
		return "", "", 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return prefix, digits, n, err == nil
}

// withLine appends a line with the same line end as data.
func withLine(data []byte, line string) []byte {
	end := "\n"
	if first, _, hasEnd := bytes.Cut(data, []byte("\n")); hasEnd && bytes.HasSuffix(first, []byte("\r")) {
		end = "\r\n"
	}
	data = slices.Clip(data)
	if len(data) > 0 && !isBlank(data) && data[len(data)-1] != '\n' {
		data = append(data, end...)
	}
	return append(data, line+end...)
}

// queryLine returns a line of queries, with spaces if the other lines contain them.
func queryLine(data []byte, id, text string) string {
	space := " "
	if !isBlank(data) && !bytes.Contains(data, []byte(`": `)) {
		space = ""
	}
	return fmt.Sprintf(`{"id":%s%s,%s"text":%s%s}`, space, wire.Marshal(id), space, space, wire.Marshal(text))
}

// judgmentLine returns a line of judgments in the same columns as the last line.
func judgmentLine(data []byte, id, name string) string {
	all := dataLines(data)
	if len(all) == 0 {
		return id + "\t" + name + "\t1"
	}
	last := all[len(all)-1]
	columns := columnsOf(last)
	if len(columns) == 3 {
		return id + "\t" + name + "\t1"
	}
	separator := "\t"
	if !strings.Contains(last, "\t") && len(strings.Fields(id)) == 1 && len(strings.Fields(name)) == 1 {
		separator = " "
	}
	return strings.Join([]string{id, columns[1], name, "1"}, separator)
}

// dataLines returns the lines of judgments, without blank lines and the header.
func dataLines(data []byte) (all []string) {
	eachLine("", data, func(line string, number int) error {
		if number == 1 && line == header {
			return nil
		}
		all = append(all, line)
		return nil
	})
	return all
}
