package console

import (
	"io"

	"golang.org/x/sys/windows"
)

// takesEscapes makes the console of w understand escape sequences, and reports whether
// that worked.
func takesEscapes(w io.Writer) bool {
	f := fileOf(w)
	if f == nil {
		return false
	}
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(windows.Handle(f.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
