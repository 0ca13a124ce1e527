package effort

import (
	"testing"
	"time"
)

// Patience returns how long a test should wait for another program, even if that would
// react immediately on a quiet machine. It is a quarter of the time that go test has
// left for the test. So a busy machine only needs a longer -timeout, and a test waiting
// in vain can still say why it was waiting.
func Patience(t testing.TB) time.Duration {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, limited := t.Deadline(); limited {
			return time.Until(end) / 4
		}
	}
	return 24 * time.Hour
}
