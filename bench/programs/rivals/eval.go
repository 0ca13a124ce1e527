package main

import (
	"bufio"
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// This file answers the questions of a test set with context, and with FTS5 from
// sections and from whole pages, and prints measures. The table is in
// docs/evaluation.md.

// Budgets of the measures, in tokens of four bytes.
var budgets = [...]int{1000, 2000, 4000}

// evaluate prints the measures of a set: DIR/docs, DIR/queries.jsonl, DIR/qrels.tsv
// and, if sections are judged, DIR/gold.jsonl. Names of pages are compared in lower
// case, as IDs are.
func evaluate(dir string) error {
	set, err := readSet(dir)
	if err != nil {
		return err
	}
	ours, err := newReader(dir)
	if err != nil {
		return err
	}
	defer ours.remove()
	docs := os.DirFS(filepath.Join(dir, "docs"))
	sections, err := newTable(docs, sectionsOf)
	if err != nil {
		return err
	}
	defer sections.db.Close()
	pages, err := newTable(docs, wholePage)
	if err != nil {
		return err
	}
	defer pages.db.Close()
	var all []measures
	for _, way := range []struct {
		name   string
		answer func(query string) (answer, error)
	}{{"context", ours.resolve}, {"FTS5 over sections", sections.answer}, {"FTS5 over pages", pages.answer}} {
		var sum measures
		for _, q := range set {
			a, err := way.answer(q.Text)
			if err != nil {
				return err
			}
			sum.add(q, a)
		}
		sum.print(os.Stdout, filepath.Base(dir)+", "+way.name)
		all = append(all, sum)
	}
	printDifferences(os.Stdout, filepath.Base(dir)+", context less FTS5 over sections", all[0], all[1])
	return nil
}

// An answer is the output of a way for a query.
type answer struct {
	ranked  []page               // all pages to print, best first; nil if unknown
	bundles [len(budgets)][]page // the output within each budget
}

// resolve answers by `context resolve`.
func (r reader) resolve(query string) (a answer, err error) {
	for i, budget := range budgets {
		out, err := r.call("resolve", "--budget", fmt.Sprint(budget), "--query", query)
		if err != nil {
			return answer{}, err
		}
		var result struct {
			Documents []struct{ ID, Content string }
		}
		if err := json.Unmarshal([]byte(out), &result); err != nil {
			return answer{}, err
		}
		for _, d := range result.Documents {
			path, _, _ := strings.Cut(d.ID, "#")
			a.bundles[i] = append(a.bundles[i], page{Path: strings.TrimSuffix(path, ".md"), Content: d.Content})
		}
	}
	return a, nil
}

// A table of FTS5 contains texts. Their paths and headings count as well, and words have English
// stems, because a few lines of code cannot get more out of FTS5.
type table struct{ db *sql.DB }

const ofTexts = `CREATE VIRTUAL TABLE texts USING fts5(path, headings, content, tokenize = 'porter unicode61')`

// newTable puts the parts into which cut divides pages into a new table in memory.
func newTable(docs fs.FS, cut func(content string) []section) (table, error) {
	db, err := open(":memory:")
	if err != nil {
		return table{}, err
	}
	if err := insertParts(db, docs, cut); err != nil {
		db.Close()
		return table{}, err
	}
	return table{db}, nil
}

func insertParts(db *sql.DB, docs fs.FS, cut func(content string) []section) error {
	if _, err := db.Exec(ofTexts); err != nil {
		return err
	}
	insert, err := db.Prepare("INSERT INTO texts (path, headings, content) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	return fs.WalkDir(docs, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := fs.ReadFile(docs, path)
		for _, part := range cut(string(content)) {
			if err == nil {
				_, err = insert.Exec(strings.ToLower(strings.TrimSuffix(path, ".md")), part.headings, part.content)
			}
		}
		return err
	})
}

// A section is the text below a heading of a page.
type section struct{ headings, content string }

// sectionsOf cuts a page before each heading outside of code blocks.
func sectionsOf(content string) (sections []section) {
	var path [7]string // headings by level
	start, at, inCode := 0, 0, false
	end := func() {
		if strings.TrimSpace(content[start:at]) != "" {
			sections = append(sections, section{strings.Join(path[:], " "), content[start:at]})
		}
		start = at
	}
	for line := range strings.Lines(content) {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			inCode = !inCode
		}
		marks, title, found := strings.Cut(line, " ")
		if level := len(marks); !inCode && found && 0 < level && level <= 6 && strings.Trim(marks, "#") == "" {
			end()
			clear(path[level:])
			path[level] = strings.TrimSpace(title)
		}
		at += len(line)
	}
	end()
	return sections
}

// wholePage returns a page as a single section.
func wholePage(content string) []section { return []section{{content: content}} }

// stopWords are words of questions that answers need not contain.
var stopWords = strings.Fields(`a am an and any are as at be been being but by can could did do does for from had has
	have how i if in into is it its me my no not of on or our should so such than that the their them then there these
	they this to us was we were what when where which while who why will with would you your`)

// questionOf returns the words of a text without stop words, unless it consists of stop words.
func questionOf(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(stopWords, w) })
	if len(rest) == 0 {
		rest = words
	}
	return strings.Join(rest, " ")
}

// mostRanked is the maximum number of texts to read, which is more than fit into any budget.
const mostRanked = 300

// answer fills each budget with the texts containing any word of a query, the best first.
func (t table) answer(query string) (answer, error) {
	ranked, err := t.rank(query)
	a := answer{ranked: ranked}
	for i, budget := range budgets {
		a.bundles[i] = pack(ranked, 4*budget)
	}
	return a, err
}

// rank returns the texts containing any word of a query, the best first.
func (t table) rank(query string) (ranked []page, err error) {
	if questionOf(query) == "" {
		return nil, nil // only symbols
	}
	rows, err := t.db.Query(`SELECT path, content FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?`, anyOf(questionOf(query)), mostRanked)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p page
		if err := rows.Scan(&p.Path, &p.Content); err != nil {
			return nil, err
		}
		ranked = append(ranked, p)
	}
	return ranked, rows.Err()
}

// A judgedQuery is a query, the grades of its pages, and its gold sections.
type judgedQuery struct {
	ID, Text string
	grades   map[string]float64
	Gold     []struct {
		Page  string
		Lines []string
	}
}

func readSet(dir string) (set []*judgedQuery, err error) {
	byID := map[string]*judgedQuery{}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(line string) error {
		q := &judgedQuery{grades: map[string]float64{}}
		err := json.Unmarshal([]byte(line), q)
		set, byID[q.ID] = append(set, q), q
		return err
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "qrels.tsv"), func(line string) error {
		var id, page string
		var grade float64
		_, err := fmt.Sscan(line, &id, &page, &grade)
		if q := byID[id]; q != nil && grade > 0 {
			q.grades[strings.ToLower(page)] = grade
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "gold.jsonl"), func(line string) error {
		var gold judgedQuery
		err := json.Unmarshal([]byte(line), &gold)
		for i := range gold.Gold {
			gold.Gold[i].Page = strings.ToLower(gold.Gold[i].Page)
		}
		if q := byID[gold.ID]; q != nil {
			q.Gold = gold.Gold
		}
		return err
	})
	if os.IsNotExist(err) {
		err = nil
	}
	return set, err
}

func eachLine(path string, use func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := use(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return lines.Err()
}

// measures are sums over queries. Measures with a budget are in the order of budgets.
type measures struct {
	queries, judged     float64
	ndcg                float64
	recall, half, whole [len(budgets)]float64

	each []measures // of the queries, in their order
}

// add adds a query with its answer.
func (m *measures) add(q *judgedQuery, a answer) {
	if len(q.grades) == 0 {
		return
	}
	one := measuresOf(q, a)
	m.each = append(m.each, one)
	m.queries++
	m.ndcg += one.ndcg
	m.judged += one.judged
	for i := range budgets {
		m.recall[i] += one.recall[i]
		m.half[i] += one.half[i]
		m.whole[i] += one.whole[i]
	}
}

// measuresOf returns the measures of a single query.
func measuresOf(q *judgedQuery, a answer) measures {
	m := measures{queries: 1, ndcg: ndcg(q.grades, a.ranked)}
	if len(q.Gold) > 0 {
		m.judged++
	}
	for i, bundle := range a.bundles {
		if slices.ContainsFunc(bundle, func(p page) bool { return q.grades[p.Path] > 0 }) {
			m.recall[i]++
		}
		share := q.shareIn(bundle)
		if share >= 0.5 {
			m.half[i]++
		}
		if share >= 0.95 {
			m.whole[i]++
		}
	}
	return m
}

// ndcg is nDCG@10 of the pages in the order of their best sections.
func ndcg(grades map[string]float64, sections []page) float64 {
	seen := map[string]bool{}
	dcg, ideal := 0.0, 0.0
	for _, s := range sections {
		if !seen[s.Path] && len(seen) < 10 {
			seen[s.Path] = true
			dcg += grades[s.Path] / math.Log2(float64(len(seen)+1))
		}
	}
	var best []float64
	for _, grade := range grades {
		best = append(best, grade)
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, grade := range best[:min(10, len(best))] {
		ideal += grade / math.Log2(float64(i+2))
	}
	return dcg / ideal
}

// pack fills a budget in bytes, and skips sections if they don't fit.
func pack(sections []page, budget int) (bundle []page) {
	for _, s := range sections {
		if size := (len(s.Content) + 3) / 4 * 4; size <= budget {
			bundle = append(bundle, s)
			budget -= size
		}
	}
	return bundle
}

// shareIn returns how much of a gold section is in a bundle: the share of its lines, in bytes and
// without surrounding white space, which are also lines of the bundle. With several gold sections,
// the best counts.
func (q *judgedQuery) shareIn(bundle []page) (best float64) {
	lines := map[page]bool{}
	for _, p := range bundle {
		for line := range strings.Lines(p.Content) {
			lines[page{Path: p.Path, Content: strings.TrimSpace(line)}] = true
		}
	}
	for _, gold := range q.Gold {
		have, all := 0, 0
		for _, line := range gold.Lines {
			line = strings.TrimSpace(line)
			all += len(line)
			if lines[page{Path: gold.Page, Content: line}] {
				have += len(line)
			}
		}
		best = max(best, float64(have)/float64(max(1, all)))
	}
	return best
}

func (m *measures) print(out io.Writer, name string) {
	fmt.Fprintf(out, "%s: %v queries", name, m.queries)
	if m.ndcg > 0 {
		fmt.Fprintf(out, ", nDCG@10 %.3f", m.ndcg/m.queries)
	}
	for i, budget := range budgets {
		fmt.Fprintf(out, "; within %d tokens: recall %.3f", budget, m.recall[i]/m.queries)
		if m.judged > 0 {
			fmt.Fprintf(out, ", gold sections half %.3f, whole %.3f", m.half[i]/m.judged, m.whole[i]/m.judged)
		}
	}
	fmt.Fprintln(out)
}
