package pipeline

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/contextcompiler/context/fault"
	"github.com/contextcompiler/context/internal/pages/sources"
)

// rescue turns a panic in the stages of a page into the reason to skip the page, as if it could
// not be converted, because a bug that a single page triggers must not keep all others from being
// built. It must be deferred directly. A panic in Write stays an error, because the staging
// directory can contain half of the page.
func rescue(source sources.Source, at *Stage, o *outcome, err *error) {
	p := recover()
	switch {
	case p == nil:
	case *at == Write:
		*err = fmt.Errorf("%s: %w", source.Path, fault.Recovered(p))
	default:
		*o, *err = outcome{skip: fmt.Errorf("%s: panic: %v%s", source.Path, p, placeOfPanic())}, nil
	}
}

// placeOfPanic returns the line that panicked, for reports of the bug. It is the same for any
// number of jobs, unlike a stack.
func placeOfPanic() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for hasPanicked := false; ; {
		frame, more := frames.Next()
		if hasPanicked && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" (in %s, line %d)", path.Base(frame.Function), frame.Line)
		}
		hasPanicked = hasPanicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
