package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file asks the program context the questions of a test set as an agent would, and prints the
// cost and result of each step. The table is in docs/evaluation.md.

// compare prints the costs of the ways to the answers of a test set (see [evaluate]).
func compare(dir string) error {
	judged, err := readSet(dir)
	if err != nil {
		return err
	}
	r, err := newReader(dir)
	if err != nil {
		return err
	}
	defer r.remove()
	trails := []*trail{
		trailOf(r.searchAndRead, "search", "read 1", "read 2", "read 3", "read 4", "read 5"),
		trailOf(r.ask(2000), "ask 2000"),
		trailOf(r.ask(500, 1000, 2000, 4000), "ask 500", "ask 1000", "ask 2000", "ask 4000"),
	}
	for _, q := range judged {
		if len(q.grades) == 0 {
			continue
		}
		for _, t := range trails {
			answers, err := t.walk(q.Text)
			if err != nil {
				return err
			}
			t.add(q, answers)
		}
	}
	for _, t := range trails {
		t.print(os.Stdout, filepath.Base(dir))
	}
	return nil
}

// A reader asks a cache with commands of context.
type reader struct{ cache string }

// newReader builds the cache of a test set in a temporary directory.
func newReader(dir string) (reader, error) {
	work, err := os.MkdirTemp("", "rivals-")
	if err != nil {
		return reader{}, err
	}
	r := reader{filepath.Join(work, "cache")}
	if _, err := r.call("build", "--sources", filepath.Join(dir, "docs")); err != nil {
		r.remove()
		return reader{}, err
	}
	return r, nil
}

func (r reader) remove() { os.RemoveAll(filepath.Dir(r.cache)) }

// call runs a command and returns its output.
func (r reader) call(command string, args ...string) (string, error) {
	run := exec.Command("context", append([]string{command, "--cache", r.cache}, args...)...)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		return "", fmt.Errorf("context %s %q: %w", command, args, err)
	}
	return string(out), nil
}

// printedHit matches the line of a hit in an answer of search.
var printedHit = regexp.MustCompile(`(?m)^  ([0-9]+[a-z]+\.[0-9]+) `)

// searchAndRead searches, and then reads the hits in the order of the answer.
func (r reader) searchAndRead(query string) (answers []string, err error) {
	found, err := r.call("search", "--", query)
	answers = append(answers, found)
	for _, hit := range printedHit.FindAllStringSubmatch(found, -1) {
		if err != nil {
			break
		}
		found, err = r.call("read", hit[1])
		answers = append(answers, found)
	}
	return answers, err
}

// ask returns a way to ask with increasing budgets. It doesn't ask for earlier texts again.
func (r reader) ask(budgets ...int) walk {
	return func(query string) (answers []string, err error) {
		var have []string
		for _, budget := range budgets {
			answer, err := r.call("ask", append(have, "--budget", fmt.Sprint(budget), "--", query)...)
			if err != nil {
				return nil, err
			}
			answers = append(answers, answer)
			for _, t := range textsOf(answer) {
				have = append(have, "--have", t.versions)
			}
		}
		return answers, nil
	}
}

// A printedText is a text in an answer.
type printedText struct {
	page
	versions string
}

// itemLine matches the line above a text in an answer, without its mark.
var itemLine = regexp.MustCompile(`^(.*?)(?:#\S*)?:[0-9-]+(?: ([0-9a-f+]{8,}))?(?: |$)`)

// textsOf returns the texts between the marks of an answer.
func textsOf(answer string) (texts []printedText) {
	mark, rest, _ := strings.Cut(answer, ": ")
	if !strings.HasPrefix(mark, "=== ") {
		return nil
	}
	_, rest, _ = strings.Cut(rest, "\n"+mark)
	rest, _, _ = strings.Cut(rest, "\n"+mark+" end")
	path := ""
	for text := range strings.SplitSeq(rest, "\n"+mark) {
		line, content, _ := strings.Cut(text, "\n")
		parts := itemLine.FindStringSubmatch(strings.TrimPrefix(line, " "))
		if parts[1] != "" {
			path = strings.TrimSuffix(parts[1], ".md")
		}
		texts = append(texts, printedText{page{Path: path, Content: content}, parts[2]})
	}
	return texts
}

// A walk returns the answers to a question, in the order of an agent's calls.
type walk func(query string) (answers []string, err error)

// A trail sums up the walks to all questions.
type trail struct {
	walk      walk
	steps     []step
	questions int
	until     [2][]int // by share: the tokens of each question up to the first step with this share, or of all steps
}

func trailOf(w walk, steps ...string) *trail {
	t := &trail{walk: w}
	for _, name := range steps {
		t.steps = append(t.steps, step{name: name})
	}
	return t
}

// A step contains sums over all questions.
type step struct {
	name   string
	tokens int    // of this step and the earlier ones
	seen   [2]int // by share: questions whose gold section was seen
}

// shares are the parts of a gold section counted as half and as all of it.
var shares = [2]float64{0.5, 0.95}

// add adds the answers to a question, at most one per step.
func (t *trail) add(q *judgedQuery, answers []string) {
	var texts []page
	spent := 0
	isSeen := [2]bool{}
	for i := range t.steps {
		if i < len(answers) {
			spent += (len(answers[i]) + 3) / 4
			for _, text := range textsOf(answers[i]) {
				texts = append(texts, text.page)
			}
		}
		t.steps[i].tokens += spent
		for k, share := range shares {
			last := i == len(t.steps)-1
			isNew := !isSeen[k] && q.shareSeen(texts) >= share
			if isSeen[k] = isSeen[k] || isNew; isSeen[k] {
				t.steps[i].seen[k]++
			}
			if isNew || last && !isSeen[k] {
				t.until[k] = append(t.until[k], spent)
			}
		}
	}
	t.questions++
}

// shareSeen is shareIn. Without gold sections, it says whether a right page is
// among the texts.
func (q *judgedQuery) shareSeen(texts []page) float64 {
	isRight := func(p page) bool { return q.grades[p.Path] > 0 }
	switch {
	case len(q.Gold) > 0:
		return q.shareIn(texts)
	case slices.ContainsFunc(texts, isRight):
		return 1
	}
	return 0
}

// print prints the means over the questions: a line for each step, and the tokens of an agent which
// stops as soon as it has seen half or all.
func (t *trail) print(out io.Writer, name string) {
	n := float64(t.questions)
	for _, s := range t.steps {
		fmt.Fprintf(out, "%s, %s: %.0f tokens, half %.3f, whole %.3f\n", name, s.name, float64(s.tokens)/n, float64(s.seen[0])/n, float64(s.seen[1])/n)
	}
	for k, what := range []string{"half", "whole"} {
		sum := 0
		for _, tokens := range t.until[k] {
			sum += tokens
		}
		slices.Sort(t.until[k])
		fmt.Fprintf(out, "%s, until %s: mean %.0f tokens, median %d\n", name, what, float64(sum)/n, t.until[k][t.questions/2])
	}
}
