//go:build !windows

package console

import "io"

func takesEscapes(io.Writer) bool { return true }
