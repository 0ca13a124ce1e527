package contextfile_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/contextcompiler/context/dotcontext/contextfile"
)

// Whatever the bytes, Parse does not panic; what it accepts is JSON; and what
// the editors return is what they were asked for.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"valid", "invalid"} {
		for _, text := range vectors(f, dir) {
			f.Add(text)
		}
	}
	f.Add(contextfile.New("src", "abcd1234", "2026-01-01T00:00:00Z", someDerived))
	f.Add([]byte(head + "derived_fields: [summary, structure]\nconstraints: &c\n  - \"\\ud83d\\/\x01\"\n  - *c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := contextfile.Parse(text)
		if err != nil {
			checkError(t, err)
			return
		}
		if got := encode(c, nil); !json.Valid([]byte(got)) {
			t.Errorf("no JSON: %s", got)
		}
		after, err := contextfile.SetFingerprint(text, newFingerprint, newUpdated)
		if isParseError(err) {
			t.Errorf("parsed, but SetFingerprint says %v", err)
		}
		if err == nil {
			if err := checkEdit(text, after, newFingerprint, newUpdated); err != nil {
				t.Error(err)
			}
		}
		checkDerivedTwice(t, text)
	})
}

func isParseError(err error) bool {
	_, invalid := err.(*contextfile.InvalidError)
	return invalid
}

func checkError(t *testing.T, err error) {
	t.Helper()
	if _, unsupported := errors.AsType[*contextfile.UnsupportedError](err); unsupported {
		return
	}
	invalid, ok := errors.AsType[*contextfile.InvalidError](err)
	if !ok || len(invalid.Problems) == 0 || invalid.Problems[0].Message == "" {
		t.Errorf("got %#v", err)
	}
}

// checkDerivedTwice fails if SetDerived changes its own result.
func checkDerivedTwice(t *testing.T, text []byte) {
	t.Helper()
	after, err := contextfile.SetDerived(text, someDerived)
	if err != nil {
		return
	}
	again, err := contextfile.SetDerived(after, someDerived)
	if err != nil || string(again) != string(after) {
		t.Errorf("again: got %q, %v, want %q", again, err, after)
	}
}
