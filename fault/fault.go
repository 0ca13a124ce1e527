// Package fault gives a stable code to every failure that callers can act on. Start with
// [CodeOf].
//
// A [Code] is a contract. Its number is the exit status of the command line, its name is
// the error code over MCP, and its message is the only sentence shown to MCP clients.
// Paths and causes appear only in the text of the error, which is for a person at a
// terminal.
//
// An error without a code is a bug in this module and counts as [Internal].
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
)

// A Code identifies a kind of failure. The numbers are exit statuses and will never
// change. The statuses 0 for success, 1 for a usage error and 130 for an interrupt are
// not Codes.
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

// The codes for files that must be up to date. They only serve as exit statuses, because
// MCP tools report such files in their answers instead.
const (
	Stale          Code = 8 // out of date, or missing
	ContextInvalid Code = 9 // a .context.yaml or a Contextfile.yml
)

// contract contains the public name and message of each code.
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

// String returns the error code over MCP.
func (c Code) String() string { return contract[c].name }

// Message returns the sentence shown to MCP clients. It never changes.
func (c Code) Message() string { return contract[c].message }

// ExitStatus returns the exit status of a process that fails with c.
func (c Code) ExitStatus() int { return int(c) }

// An Error is an error with a code.
type Error struct {
	Code Code
	Err  error // never nil
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error that received the code.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is [fmt.Errorf] with a code. It wraps the operands of %w.
func Errorf(code Code, format string, args ...any) error {
	return &Error{code, fmt.Errorf(format, args...)}
}

// CodeOf returns the code of the outermost [Error] in the tree of err, or [Internal] if
// it contains none. It panics if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		panic("fault: CodeOf(nil)")
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// A Panic is a recovered panic, which is a bug in this module.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Recovered turns a value returned by recover into a [Panic] with the stack of the
// caller and the code [Internal].
func Recovered(value any) error {
	return &Error{Internal, &Panic{value, debug.Stack()}}
}

// Cause returns an error of the system without its operation and paths, which callers
// add to their messages themselves.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
