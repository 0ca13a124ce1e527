package evaluation

import (
	"fmt"
	"slices"

	"github.com/contextcompiler/context/document"
)

// A Task consists of queries and their judgments. It never changes and is safe for
// concurrent use.
type Task struct {
	// Queries are those with a relevant document, in the order of the file, and then those
	// whose judged documents are all wrong.
	Queries    []Topic
	Answerable int // how many of the Queries have a relevant document

	pages       corpusPages // of the corpus
	grades      []grades    // of the answerable queries
	budgets     []uint64
	counts      Counts
	judged      int           // number of judged documents
	missing     []document.ID // judged documents that are not in the cache
	unknown     []string      // IDs of judged queries that are not in the file of queries
	hasSections bool          // a judgment names a section
}

// Counts are the numbers in a [TaskReport] apart from its measures.
type Counts struct {
	Queries          int // in the file
	WithoutRelevant  int // queries without a relevant document; not measured
	MissingDocuments int // judged documents that are not in the cache
}

// A Corpus is what judgments are about.
type Corpus struct {
	Documents []document.ID // sorted

	// Span returns the bytes of a document that a fragment names, or of all the
	// document for "".
	Span func(id document.ID, fragment string) (document.Span, error)
}

// NewTask combines queries and their judgments. [Task.Report] will contain a
// budgeted recall for each of the budgets, which must be sorted.
//
// A judgment names a document by its ID or its path, with or without its extension,
// or a section of it by a fragment, such as page.md#setup. Judged documents that
// are missing in the corpus count as not found. If any judgment names a section,
// the task also measures sections, and a judged page is a section of all its bytes.
//
// NewTask fails if a document or section is judged twice for one query, if no query
// has a relevant document, or if a document does not contain such a section. Errors
// begin with name, the name of the judgments' file.
func NewTask(name string, queries []Topic, judgments []Judgment, corpus Corpus, budgets []uint64) (*Task, error) {
	t := &Task{pages: corpus.Documents, budgets: budgets}
	byQuery, err := t.group(name, queries, judgments, corpus)
	if err != nil {
		return nil, err
	}
	t.counts.Queries = len(queries)
	var unanswerable []Topic
	seen := map[document.ID]bool{}
	for i, query := range queries {
		g := &byQuery[i]
		for _, id := range g.judged {
			if !seen[id] && !t.pages.has(id) {
				t.missing = append(t.missing, id)
			}
			seen[id] = true
		}
		g.finish()
		switch {
		case !g.isEmpty():
			t.Queries, t.grades = append(t.Queries, query), append(t.grades, *g)
		case len(g.judged) > 0:
			unanswerable = append(unanswerable, query)
		}
	}
	t.Answerable = len(t.Queries)
	t.Queries = append(t.Queries, unanswerable...)
	if t.Answerable == 0 {
		return nil, fmt.Errorf("%s: it contains no relevant document for any query: are the queries' IDs the same?", name)
	}
	t.counts.WithoutRelevant = len(queries) - t.Answerable
	t.judged, t.counts.MissingDocuments = len(seen), len(t.missing)
	return t, nil
}

// group returns the judgments of every query. It also notes unknown queries, and
// whether judgments name sections.
func (t *Task) group(name string, queries []Topic, judgments []Judgment, corpus Corpus) ([]grades, error) {
	positions := make(map[string]int, len(queries)) // of the queries, by ID
	for i, query := range queries {
		positions[query.ID] = i
	}
	t.hasSections = slices.ContainsFunc(judgments, func(j Judgment) bool {
		_, fragment := t.pages.resolve(j.Document)
		return fragment != ""
	})
	byQuery := make([]grades, len(queries))
	type target struct {
		query, fragment string
		id              document.ID
	}
	seen := map[target]bool{}
	for _, j := range judgments {
		i, isKnown := positions[j.Query]
		if !isKnown {
			if !slices.Contains(t.unknown, j.Query) {
				t.unknown = append(t.unknown, j.Query)
			}
			continue
		}
		id, fragment := t.pages.resolve(j.Document)
		if to := (target{j.Query, fragment, id}); seen[to] {
			return nil, fmt.Errorf("%s:%d: %q is judged twice for the query %q", name, j.Line, j.Document, j.Query)
		} else {
			seen[to] = true
		}
		byQuery[i].add(id, j.Grade)
		if !t.hasSections || j.Grade == 0 {
			continue
		}
		span := document.Span{ID: id}
		if t.pages.has(id) {
			var err error
			if span, err = corpus.Span(id, fragment); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, j.Line, err)
			}
		}
		byQuery[i].sections = append(byQuery[i].sections, span)
	}
	return byQuery, nil
}

// CheckDocuments fails if all judged documents are missing in the cache, because
// every measure would be 0.
func (t *Task) CheckDocuments() error {
	if len(t.missing) < t.judged {
		return nil
	}
	return fmt.Errorf("the cache contains none of the %d judged documents, the first is %q: were they judged for another cache?", t.judged, t.missing[0])
}

// Warnings returns a sentence about missing documents, and another about unknown
// queries, if there are any.
func (t *Task) Warnings() (warnings []string) {
	if n := len(t.missing); n > 0 {
		warnings = append(warnings, fmt.Sprintf("judged documents that are not in the cache, so that no query finds them: %d, the first is %q", n, t.missing[0]))
	}
	if n := len(t.unknown); n > 0 {
		warnings = append(warnings, fmt.Sprintf("judged queries that are not among the queries: %d, the first is %q", n, t.unknown[0]))
	}
	return warnings
}
