package dotcontext

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// An unreadError means that the system refused to read something. Init must not
// write a context in this case, since it would be incomplete.
type unreadError struct {
	path  string // below the root
	cause error
}

func (e *unreadError) Error() string { return e.path + ": " + e.cause.Error() }
func (e *unreadError) Unwrap() error { return e.cause }

// A withReason is a sentence of the contract together with the reason, which only
// people see.
type withReason struct {
	sentence string
	reason   error
}

func (e *withReason) Error() string { return e.sentence }
func (e *withReason) Unwrap() error { return e.reason }

// Reason returns the reason left out of [ToolAnswer.Err], or nil.
func Reason(err error) error {
	e, ok := errors.AsType[*withReason](err)
	if !ok {
		return nil
	}
	if unread, ok := errors.AsType[*unreadError](err); ok {
		return unread.cause
	}
	return fault.Cause(e.reason)
}

// absences are the errors, apart from [fs.ErrNotExist], for a path that leads to no
// file. EINVAL is the error for names that are impossible.
var absences = []error{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL}

func isAbsence(err error) bool {
	return errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(absences, func(absence error) bool { return errors.Is(err, absence) })
}

func isRefusal(err error) bool {
	_, known := errors.AsType[*unreadError](err)
	_, system := errors.AsType[syscall.Errno](err)
	return known || system && !isAbsence(err)
}

// asUnread adds the path to err if err is a refusal. It returns other errors
// unchanged.
func asUnread(at string, err error) error {
	if !isRefusal(err) {
		return err
	}
	return named(at, err)
}

func named(at string, err error) error {
	if _, done := errors.AsType[*unreadError](err); done {
		return err
	}
	return &unreadError{asUTF8(at), fault.Cause(err)}
}

func firstFault(refusals []error) error {
	if len(refusals) == 0 {
		return nil
	}
	return unreadFault(refusals[0])
}

func unreadFault(err error) error {
	return fault.Errorf(fault.IO, "%w: make it readable, or name its directory in %s", err, contextIgnore)
}
