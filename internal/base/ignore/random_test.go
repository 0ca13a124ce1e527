// Random ignore files and random trees, the same in every run, on which the
// package and git must agree.

package ignore_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var rounds = flag.Int("rounds", 400, "how many random ignore files to put before git")

func TestRandomRulesDecideAsGitDoes(t *testing.T) {
	git := findGit(t)
	random := source{rand.New(rand.NewPCG(2005, 4))}
	var c tree
	asked, leftOut := 0, 0
	for round := range *rounds {
		if round%20 == 0 {
			c = tree{root: t.TempDir(), paths: random.paths()}
		}
		c.files = random.files(c.paths)
		got, want := c.leftOut(), git.leftOut(t, c)
		for i, path := range c.paths {
			asked++
			if want[i] {
				leftOut++
			}
			if got[i] != want[i] {
				t.Errorf("%s with %s: got left out %v, want %v", path, describe(c.files), got[i], want[i])
			}
		}
	}
	t.Logf("%d paths, %d of them left out", asked, leftOut)
	if leftOut < asked/10 || leftOut > asked*9/10 {
		t.Errorf("got %d of %d paths left out, want a fair mix", leftOut, asked)
	}
}

func describe(files map[string]string) string {
	var lines []string
	for dir, text := range files {
		lines = append(lines, fmt.Sprintf("%q in %q", text, dir))
	}
	slices.Sort(lines)
	return strings.Join(lines, ", ")
}

// A source makes up trees. The alphabet is small, so patterns do match.
type source struct{ *rand.Rand }

// paths returns the paths of a tree, some of them directories. It is not deep: below 24
// directories, check-ignore of git 2.39 reads freed memory.
func (s source) paths() []string {
	paths := map[string]bool{}
	for len(paths) < 40 {
		path := s.name()
		for range s.IntN(6) {
			path += "/" + s.name()
		}
		addWithDirs(paths, path)
	}
	var list []string
	for path := range paths {
		if !paths[path+"/"] {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// addWithDirs adds path and the directories above it.
func addWithDirs(paths map[string]bool, path string) {
	paths[path] = true
	for i := range path {
		if path[i] == '/' {
			paths[path[:i+1]] = true
		}
	}
}

func (s source) name() string {
	for {
		name := s.join(1+s.IntN(3), []string{"a", "a", "a", "b", "b", "-", ".", "*", "?", "!", "#", `\`, "[", "]", "^", " ", "é", "\t", "\r"})
		if name != "." && name != ".." {
			return name
		}
	}
}

// files returns one to three ignore files for a tree.
func (s source) files(paths []string) map[string]string {
	files := map[string]string{".": s.text(paths)}
	for range s.IntN(3) {
		path := s.pick(paths)
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			files[dir] = s.text(paths)
		}
	}
	return files
}

func (s source) text(paths []string) string {
	text := s.pick([]string{"", "", "", "\ufeff"})
	for range 1 + s.IntN(4) {
		text += s.line(paths) + s.pick([]string{"\n", "\n", "\n", "\r\n", " \n", ""})
	}
	return text
}

// line returns a line of noise, or a rule related to the paths.
func (s source) line(paths []string) string {
	if s.IntN(4) == 0 {
		return s.join(1+s.IntN(8), []string{
			"a", "a", "b", "b", "*", "*", "**", "?", "/", "/", "**/", "/**", "!", "#", `\`, "[", "]", "[a", "[!", "[^", "-", "^",
			" ", ".", "[[:alpha:]]", "[[:punct:]", "[:", ":]", "\r", "\t", "é", "\xc3", "\x00",
		})
	}
	names := strings.SplitAfter(s.pick(paths), "/")
	line := strings.Join(names[s.IntN(len(names)):], "")
	for range s.IntN(4) {
		line = s.blur(line)
	}
	return s.pick([]string{"", "", "/", "!"}) + line
}

// blur puts a wildcard in place of some of a line, or between.
func (s source) blur(line string) string {
	from := s.IntN(len(line) + 1)
	to := min(len(line), from+s.IntN(3))
	if s.IntN(3) == 0 {
		names := strings.Split(line, "/")
		names[s.IntN(len(names))] = s.pick([]string{"*", "**", "a*", "*b", "?*", "**a"})
		return strings.Join(names, "/")
	}
	return line[:from] + s.pick([]string{"*", "?", "**", "/", "/**/", "**/", "/**", `\`, "[ab]", "[!b]", "[^-a]", "[]a]", "[a-c]", "[[:alnum:]]", ""}) + line[to:]
}

func (s source) join(n int, words []string) string {
	var joined strings.Builder
	for range n {
		joined.WriteString(s.pick(words))
	}
	return joined.String()
}

func (s source) pick(words []string) string { return words[s.IntN(len(words))] }
