package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contextcompiler/context/document"
	"github.com/contextcompiler/context/selection"
)

// A Task is what there is to ask and what would be right. It never changes and
// is safe for concurrent use.
type Task struct {
	Queries []selection.Query // those that have a relevant document, in the order given

	grades  []grades // of each of the Queries
	budgets []uint64
	counts  Counts
	judged  int           // documents
	missing []document.ID // judged documents that there are not, as they come
	unknown []string      // IDs of queries that were judged but not given, as they come
}

// Counts are the numbers of a [Report] that are no measures.
type Counts struct {
	Queries          int // that were given
	WithoutRelevant  int // of these, those without a relevant document; they are not measured
	MissingDocuments int // judged documents that the cache does not have
}

// extension is what the ID of every document ends in.
const extension = ".md"

// NewTask puts queries and their judgments together. budgets are those for which
// [Task.Report] has a budgeted recall, sorted; documents are the IDs of the
// cache, sorted.
//
// A judgment names a document by its ID or by the path that makes the ID; if
// there is none of that name, the name with ".md" behind it is meant. A document
// that is not in the cache counts: a query that should find it does not.
//
// It fails if a document is judged twice for one query, or if no query has a
// relevant document. name is the judgments' file.
func NewTask(name string, queries []Query, judgments []Judgment, documents []document.ID, budgets []uint64) (*Task, error) {
	byQuery, unknown, err := group(name, queries, judgments, documents)
	if err != nil {
		return nil, err
	}
	t := &Task{budgets: budgets, unknown: unknown}
	t.counts.Queries = len(queries)
	for i, query := range queries {
		if byQuery[i].isEmpty() {
			t.counts.WithoutRelevant++
			continue
		}
		t.Queries = append(t.Queries, query.Query)
		t.grades = append(t.grades, byQuery[i])
	}
	if len(t.Queries) == 0 {
		return nil, fmt.Errorf("%s: no query has a relevant document in it: are the queries' IDs the same?", name)
	}
	judged := documentsIn(byQuery)
	for _, id := range judged {
		if !contains(documents, id) {
			t.missing = append(t.missing, id)
		}
	}
	t.judged = len(judged)
	t.counts.MissingDocuments = len(t.missing)
	return t, nil
}

// group returns the judgments of every query, and the IDs of those that were not
// given.
func group(name string, queries []Query, judgments []Judgment, documents []document.ID) (byQuery []grades, unknown []string, err error) {
	positions := make(map[string]int, len(queries)) // of the queries, by ID
	for i, query := range queries {
		positions[query.ID] = i
	}
	byQuery = make([]grades, len(queries))
	seen := map[string]bool{} // those unknown
	for _, j := range judgments {
		i, known := positions[j.Query]
		if known {
			if !byQuery[i].add(resolve(j.Document, documents), j.Grade) {
				return nil, nil, fmt.Errorf("%s:%d: %q is judged for the query %q already", name, j.Line, j.Document, j.Query)
			}
		} else if !seen[j.Query] {
			seen[j.Query] = true
			unknown = append(unknown, j.Query)
		}
	}
	return byQuery, unknown, nil
}

// resolve returns the ID of the document that a judgment names, or a part of
// which it names, or the one that it would have.
func resolve(name string, documents []document.ID) document.ID {
	exact := document.IDOf(name)
	longer := exact + extension
	if contains(documents, exact) {
		return exact
	}
	if page := pageOf(exact); page != exact && contains(documents, page) && !contains(documents, longer) {
		return page
	}
	if contains(documents, longer) || !strings.HasSuffix(string(exact), extension) {
		return longer
	}
	return exact
}

func contains(sorted []document.ID, id document.ID) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}

// documentsIn returns the judged documents, each once.
func documentsIn(byQuery []grades) (judged []document.ID) {
	seen := map[document.ID]bool{}
	for _, g := range byQuery {
		for _, id := range g.judged {
			if !seen[id] {
				seen[id] = true
				judged = append(judged, id)
			}
		}
	}
	return judged
}

// CheckDocuments fails if the cache has none of the judged documents: all
// measures would be 0 then, and say nothing about the answers.
func (t *Task) CheckDocuments() error {
	if len(t.missing) < t.judged {
		return nil
	}
	return fmt.Errorf("the cache has none of the %d judged documents, the first is %q: were they judged for another cache?", t.judged, t.missing[0])
}

// Warnings says what there is in one file that is not in another, a sentence
// each.
func (t *Task) Warnings() (warnings []string) {
	if n := len(t.missing); n > 0 {
		warnings = append(warnings, fmt.Sprintf("judged documents that are not in the cache, so that no query finds them: %d, the first is %q", n, t.missing[0]))
	}
	if n := len(t.unknown); n > 0 {
		warnings = append(warnings, fmt.Sprintf("judged queries that are not among the queries: %d, the first is %q", n, t.unknown[0]))
	}
	return warnings
}
