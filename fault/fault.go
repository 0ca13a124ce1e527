// Package fault gives every failure that a caller can act on one stable code. Start
// with [CodeOf].
//
// A [Code] is a contract: its number is the exit status of the command line, its name
// the error code over MCP, and its message the only sentence that an MCP client sees.
// Paths and causes are only in the error's text, which a person at a terminal reads.
//
// An error without a code is a bug of this module and reports as [Internal].
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
)

// A Code names a kind of failure. The numbers are exit statuses and frozen.
// 0 is success, 1 a usage error and 130 an interrupt; these are not Codes.
type Code int

// The codes of contract v0.
const (
	InvalidQuery  Code = 2
	InvalidBudget Code = 3
	CacheMissing  Code = 4
	CacheInvalid  Code = 5
	IO            Code = 6
	Internal      Code = 7
)

// The codes of files that must be up to date. They are only exit statuses: MCP tools
// report such files in their answers.
const (
	Stale          Code = 8 // out of date, or not there yet
	ContextInvalid Code = 9 // a .context.yaml or a Contextfile.yml
)

// contract holds the public name and message of each code, indexed by Code.
var contract = [...]struct{ name, message string }{
	InvalidQuery:  {"invalid_query", "Query is invalid"},
	InvalidBudget: {"invalid_budget", "Budget is invalid"},
	CacheMissing:  {"cache_missing", "Cache does not exist"},
	CacheInvalid:  {"cache_invalid", "Cache exists but is invalid"},
	IO:            {"io_error", "I/O error occurred"},
	Internal:      {"internal_error", "Internal error"},

	Stale:          {"stale", "Out of date"},
	ContextInvalid: {"context_invalid", "Context is invalid"},
}

// String returns the MCP error code.
func (c Code) String() string { return contract[c].name }

// Message returns the sentence shown to MCP clients. It never varies.
func (c Code) Message() string { return contract[c].message }

// ExitStatus returns the exit status of a process that fails with c.
func (c Code) ExitStatus() int { return int(c) }

// An Error is an error with a code.
type Error struct {
	Code Code
	Err  error // never nil
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error that the code was given to.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is [fmt.Errorf] with a code; it wraps the operands of %w.
func Errorf(code Code, format string, args ...any) error {
	return &Error{code, fmt.Errorf(format, args...)}
}

// CodeOf returns the code of the outermost [Error] in err's tree, or
// [Internal] if there is none. It panics if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		panic("fault: CodeOf(nil)")
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// A Panic is a recovered panic, which is a bug of this module.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Recovered returns the value that recover returned as a [Panic] with
// [Internal] and the stack of the caller.
func Recovered(value any) error {
	return &Error{Internal, &Panic{value, debug.Stack()}}
}

// Cause returns the error of the system without the operation and the paths, which the
// caller names itself.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
