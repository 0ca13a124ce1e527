package child

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// crashVariable says how this test program should fail.
const crashVariable = "CHILD_TEST_CRASH"

func TestMain(m *testing.M) {
	switch os.Getenv(crashVariable) {
	case "race":
		race()
		os.Exit(0)
	case "panic":
		panic("on purpose")
	case "none":
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// race contains a data race.
func race() {
	shared, done := 0, make(chan struct{})
	go func() {
		shared++
		close(done)
	}()
	shared++
	<-done
}

// A recorder is a test that remembers its cleanups and whether it failed.
type recorder struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }

func TestWhatGoesWrongInAChildFailsTheTest(t *testing.T) {
	for crash, want := range map[string]bool{"none": false, "panic": true, "race": RaceDetector} {
		r := &recorder{TB: t}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashVariable+"="+crash)
		Watch(r, cmd)
		cmd.Run() // Watch does not look at the status
		for _, cleanup := range slices.Backward(r.cleanups) {
			cleanup()
		}
		if r.failed != want {
			t.Errorf("%s: the test failed: %t, want %t", crash, r.failed, want)
		}
	}
}
