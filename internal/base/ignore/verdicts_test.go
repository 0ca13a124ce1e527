// testdata/verdicts.txt contains recorded verdicts of git. The package must come to the same
// verdicts, and so must the installed git, if any.

package ignore_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record the verdicts of the installed git")

const recordFile = "testdata/verdicts.txt"

func TestRecordIsWhatGitSays(t *testing.T) {
	git := findGit(t)
	record := readRecord(t)
	for _, c := range record.cases {
		t.Run(c.name, func(t *testing.T) {
			c.root = t.TempDir()
			got := git.leftOut(t, c.tree)
			if *update {
				record.write(c, got)
				return
			}
			c.compare(t, got)
		})
	}
	if *update {
		record.save(t, git.version(t))
	}
}

func TestRulesDecideAsRecorded(t *testing.T) {
	paths := 0
	for _, c := range readRecord(t).cases {
		t.Run(c.name, func(t *testing.T) { c.compare(t, c.leftOut()) })
		paths += len(c.paths)
	}
	if paths < 300 {
		t.Errorf("got %d paths in %s, want at least 300", paths, recordFile)
	}
}

// A record is the lines of the record file, and the cases in them.
type record struct {
	lines []string
	cases []recordedCase
}

// A recordedCase is a tree with a verdict for each of its paths.
type recordedCase struct {
	tree
	name    string   // where it begins in the record file
	words   []string // the verdicts: out or kept
	numbers []int    // where they are, as indexes of lines
}

func (c recordedCase) compare(t *testing.T, leftOut []bool) {
	t.Helper()
	for i, path := range c.paths {
		if got, want := verdict(leftOut[i]), c.words[i]; got != want {
			t.Errorf("%s:%d: %q: got %s, want %s", recordFile, c.numbers[i]+1, path, got, want)
		}
	}
}

func verdict(leftOut bool) string {
	if leftOut {
		return "out"
	}
	return "kept"
}

func readRecord(t *testing.T) *record {
	t.Helper()
	text, err := os.ReadFile(recordFile)
	if err != nil {
		t.Fatal(err)
	}
	r := &record{lines: strings.Split(string(text), "\n")}
	inCase := false
	for i, line := range r.lines {
		words := splitWords(t, line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			inCase = false
			continue
		}
		if !inCase {
			inCase = true
			name := fmt.Sprintf("line=%d", i+1)
			r.cases = append(r.cases, recordedCase{name: name, tree: tree{files: map[string]string{}}})
		}
		r.cases[len(r.cases)-1].add(i, words)
	}
	return r
}

// add adds the words of line i to the case.
func (c *recordedCase) add(i int, words []string) {
	if words[0] == "file" {
		c.files[words[1]] = strings.Join(words[2:], "")
		return
	}
	c.words = append(c.words, words[0])
	c.paths = append(c.paths, words[1])
	c.numbers = append(c.numbers, i)
}

// splitWords returns the words of a line, and unquotes Go strings among them.
func splitWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, _, _ := strings.Cut(line, " ")
		if quoted, err := strconv.QuotedPrefix(line); err == nil && quoted[0] != '\'' {
			word = quoted
		}
		line = line[len(word):]
		if unquoted, err := strconv.Unquote(word); err == nil {
			word = unquoted
		}
		words = append(words, word)
	}
	return words
}

// write puts the verdicts on a case's paths into the lines of the record.
func (r *record) write(c recordedCase, leftOut []bool) {
	for i, number := range c.numbers {
		_, path, _ := strings.Cut(r.lines[number], " ")
		r.lines[number] = fmt.Sprintf("%-4s %s", verdict(leftOut[i]), strings.TrimSpace(path))
	}
}

func (r *record) save(t *testing.T, version string) {
	t.Helper()
	const mark = "# recorded from "
	for i, line := range r.lines {
		if strings.HasPrefix(line, mark) {
			r.lines[i] = mark + version
		}
	}
	if err := os.WriteFile(recordFile, []byte(strings.Join(r.lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}
