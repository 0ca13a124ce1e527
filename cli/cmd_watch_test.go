package cli

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestARefusalToWatchNamesTheWayOut(t *testing.T) {
	wants := map[error]string{
		syscall.EMFILE:        "ulimit -n",
		errors.New("no luck"): "no luck",
	}
	if runtime.GOOS == "linux" {
		wants[syscall.ENOSPC] = "fs.inotify.max_user_watches"
		wants[syscall.EMFILE] = "fs.inotify.max_user_instances"
	}
	for err, want := range wants {
		if got := refusalOf(fmt.Errorf("watch: %w", err)); !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want %s in it", err, got, want)
		}
	}
}
