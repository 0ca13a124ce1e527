package effort

import (
	"testing"
	"time"
)

// Patience returns how long a test should wait for what another program does at once
// on a quiet machine: a quarter of the time that go test leaves it. So a busy machine
// needs only a longer -timeout, and a test that waits in vain can still say for what.
func Patience(t testing.TB) time.Duration {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, limited := t.Deadline(); limited {
			return time.Until(end) / 4
		}
	}
	return 24 * time.Hour
}
