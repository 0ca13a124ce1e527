// Every class of a bracket expression, and every byte allowed in names.

package ignore_test

import "testing"

// The random tests cover bytes beyond ASCII, because not every file system supports names with
// invalid UTF-8.
func TestClassesHoldTheBytesThatGitSays(t *testing.T) {
	git := findGit(t)
	c := tree{root: t.TempDir()}
	for b := byte(1); b < 0x80; b++ {
		if b != '/' {
			c.paths = append(c.paths, "x"+string(rune(b)))
		}
	}
	for _, class := range []string{
		"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit", "word",
	} {
		c.files = map[string]string{".": "x[[:" + class + ":]]\n"}
		got, want := c.leftOut(), git.leftOut(t, c)
		for i, path := range c.paths {
			if got[i] != want[i] {
				t.Errorf("[:%s:] and %q: got left out %v, want %v", class, path[1:], got[i], want[i])
			}
		}
	}
}
