// Package lazy delays work from the start of the program to its first use. Every
// command pays for what packages do when they are initialized, and most commands
// need few of the regular expressions that the module declares.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles pattern on its first call and returns
// the same regular expression each time. The function is safe for concurrent use
// and panics if the pattern is invalid, as [regexp.MustCompile] does.
func Regexp(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
