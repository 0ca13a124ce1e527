package contextfile

import (
	"fmt"
	"strings"
)

// A Problem is one thing that is wrong with a file, and what to do about it.
type Problem struct {
	Line    int    // counted from 1; 0 if it is not known
	Field   string // such as "files[2].purpose"; "" for the file as a whole
	Message string // what is wrong
	Fix     string // what a person can do about it; may be ""
}

// String returns the problem on one line, without the parts that are not known.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", p.Line)
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// An InvalidError says why a text is no valid .context.yaml.
type InvalidError struct {
	Problems []Problem // at least one, sorted by line
}

// Error names the first problem.
func (e *InvalidError) Error() string { return e.Problems[0].String() }

// An UnsupportedError says that a file follows a later version of the schema.
type UnsupportedError struct {
	Version string // as JavaScript prints the number: 2, 1.5, Infinity
	Line    int    // where the file says so
}

// Error returns the contract's sentence: clients get it word for word.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("Unsupported schema version %s (this tool supports version 1). "+
		"Upgrade dotcontext to read this file.", e.Version)
}

// invalid returns an InvalidError of one problem.
func invalid(line int, field, message, fix string) *InvalidError {
	return &InvalidError{[]Problem{{line, field, message, fix}}}
}
