package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// The table repeats the contract by hand, so a change of a code needs two edits.
func TestContractIsFrozen(t *testing.T) {
	for _, want := range []struct {
		code          fault.Code
		status        int
		name, message string
	}{
		{fault.InvalidQuery, 2, "invalid_query", "Query is invalid"},
		{fault.InvalidBudget, 3, "invalid_budget", "Budget is invalid"},
		{fault.CacheMissing, 4, "cache_missing", "Cache does not exist"},
		{fault.CacheInvalid, 5, "cache_invalid", "Cache exists but is invalid"},
		{fault.IO, 6, "io_error", "I/O error occurred"},
		{fault.Internal, 7, "internal_error", "Internal error"},
		{fault.Stale, 8, "stale", "Out of date"},
		{fault.ContextInvalid, 9, "context_invalid", "Context is invalid"},
	} {
		if got := want.code.ExitStatus(); got != want.status {
			t.Errorf("%s: got exit status %d, want %d", want.name, got, want.status)
		}
		if got := want.code.String(); got != want.name {
			t.Errorf("got name %q, want %q", got, want.name)
		}
		if got := want.code.Message(); got != want.message {
			t.Errorf("%s: got message %q, want %q", want.name, got, want.message)
		}
	}
}

func TestCodeOfFindsTheOutermostCode(t *testing.T) {
	inner := fault.Errorf(fault.IO, "read: %w", fs.ErrPermission)
	outer := fault.Errorf(fault.CacheInvalid, "open: %w", inner)
	wrapped := fmt.Errorf("resolve: %w", outer)
	if got := fault.CodeOf(wrapped); got != fault.CacheInvalid {
		t.Errorf("got %v, want %v", got, fault.CacheInvalid)
	}
	if !errors.Is(wrapped, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
}

func TestAnErrorWithoutCodeIsInternal(t *testing.T) {
	if got := fault.CodeOf(errors.New("surprise")); got != fault.Internal {
		t.Errorf("got %v, want %v", got, fault.Internal)
	}
}
