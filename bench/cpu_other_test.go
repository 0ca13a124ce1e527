//go:build !unix

package bench

import "testing"

// reportCPU reports nothing, because this system needs other calls for CPU times.
func reportCPU(*testing.B) (end func()) { return func() {} }
