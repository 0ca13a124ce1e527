//go:build !windows

package console

import "io"

// takesEscapes reports whether the terminal that w writes to understands escape sequences.
func takesEscapes(io.Writer) bool { return true }
