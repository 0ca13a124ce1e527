//go:build !unix

package bench

import "testing"

// reportCPU reports nothing: this system is asked in another way.
func reportCPU(*testing.B) (end func()) { return func() {} }
