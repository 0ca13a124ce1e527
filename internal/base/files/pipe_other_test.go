//go:build !unix

package files

import "testing"

// makePipe does nothing, because directories cannot contain pipes on this system.
func makePipe(*testing.T, string) {}
