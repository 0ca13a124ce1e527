//go:build unix

package bench

import (
	"syscall"
	"testing"
	"time"
)

// reportCPU reports the CPU time per operation in all threads, from this call until the
// caller calls the result.
func reportCPU(b *testing.B) (end func()) {
	before := cpuTime()
	return func() { b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op") }
}

func cpuTime() time.Duration {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
