package effort

import (
	"testing"
	"testing/synctest"
	"time"
)

// limited is a test with a deadline.
type limited struct {
	testing.TB
	end time.Time
}

func (l limited) Deadline() (time.Time, bool) { return l.end, !l.end.IsZero() }

func TestPatienceGrowsWithTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, timeout := range []time.Duration{time.Minute, 10 * time.Minute, time.Hour} {
			if got := Patience(limited{t, time.Now().Add(timeout)}); got != timeout/4 {
				t.Errorf("timeout %v: got %v, want %v", timeout, got, timeout/4)
			}
		}
		if got := Patience(limited{TB: t}); got < time.Hour {
			t.Errorf("without a timeout: got %v", got)
		}
	})
}
