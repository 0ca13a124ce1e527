package dotcontext

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/contextcompiler/context/fault"
)

// An unreadError says what the system refused to read. What is there is not
// known then, so no context is written from it.
type unreadError struct {
	path  string // below the root
	cause error
}

func (e *unreadError) Error() string { return e.path + ": " + e.cause.Error() }
func (e *unreadError) Unwrap() error { return e.cause }

// absences are the errors that say that there is nothing at a path, besides
// [fs.ErrNotExist]. The last stands for a name that no file can have.
var absences = []error{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL}

// isAbsence reports whether err says that there is nothing.
func isAbsence(err error) bool {
	return errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(absences, func(absence error) bool { return errors.Is(err, absence) })
}

// isRefusal reports whether err is the system's and leaves open what is there.
func isRefusal(err error) bool {
	_, known := errors.AsType[*unreadError](err)
	_, system := errors.AsType[syscall.Errno](err)
	return known || system && !isAbsence(err)
}

// asUnread returns err, if it is a refusal, with the path that it is about. Others
// it returns as they are.
func asUnread(at string, err error) error {
	if !isRefusal(err) {
		return err
	}
	return named(at, err)
}

// named returns err with the path that it is about.
func named(at string, err error) error {
	if _, done := errors.AsType[*unreadError](err); done {
		return err
	}
	return &unreadError{asUTF8(at), fault.Cause(err)}
}

// unreadFault returns a refusal as the failure of a command.
func unreadFault(err error) error {
	return fault.Errorf(fault.IO, "%w: make it readable, or name its directory in %s", err, contextIgnore)
}
