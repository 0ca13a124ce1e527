package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/selection"
)

// A TaskFile is a file of queries or judgments. Its data may be empty.
type TaskFile struct {
	Name string
	Data []byte
}

// Add appends a query to the file of queries, and a judgment for each right answer to
// the file of judgments.
//
// Add fails if the file already contains the query, if the corpus does not contain
// a page or section of right, or if a file is malformed.
func Add(queries, judgments TaskFile, query selection.Query, right []string, corpus Corpus) (id string, newQueries, newJudgments []byte, err error) {
	topics, err := parseTopics(queries.Name, queries.Data)
	if err != nil {
		return "", nil, nil, err
	}
	judged, err := parseJudged(judgments.Name, judgments.Data)
	if err != nil {
		return "", nil, nil, err
	}
	for _, topic := range topics {
		if isSameText(topic.Query.Text(), query.Text()) {
			return "", nil, nil, fmt.Errorf("%s already contains this query with the id %q: add its judgments to %s", queries.Name, topic.ID, judgments.Name)
		}
	}
	id = nextID(topics, judged)
	newQueries = withLine(queries.Data, fmt.Sprintf(`{"id": %s, "text": %s}`, wire.Marshal(id), wire.Marshal(query.Text())))
	newJudgments = judgments.Data
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
		newJudgments = withLine(newJudgments, id+"\t"+name+"\t1")
	}
	return id, newQueries, newJudgments, nil
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

// nextID returns an ID that no query and no judgment uses: the number of the query, after the
// prefix of the last ID if that ends in a number.
func nextID(topics []Topic, judged []Judgment) string {
	prefix := "q"
	isTaken := map[string]bool{}
	for _, t := range topics {
		isTaken[t.ID] = true
		if before := strings.TrimRight(t.ID, "0123456789"); before != t.ID {
			prefix = before
		}
	}
	for _, j := range judged {
		isTaken[j.Query] = true
	}
	for n := len(topics) + 1; ; n++ {
		if id := fmt.Sprint(prefix, n); !isTaken[id] {
			return id
		}
	}
}

func withLine(data []byte, line string) []byte {
	data = slices.Clip(data)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return append(data, line+"\n"...)
}
