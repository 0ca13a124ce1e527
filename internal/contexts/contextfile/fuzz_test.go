package contextfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

// Parse panics for no bytes. Files that it accepts are JSON, and the editors make the
// changes that they should.
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
		checkMark(t, text)
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

// checkMark fails if MarkContents changes more than one line, or does not know
// its own mark.
func checkMark(t *testing.T, text []byte) {
	t.Helper()
	marked, err := contextfile.MarkContents(text)
	if isParseError(err) {
		t.Errorf("parsed, but MarkContents says %v", err)
	}
	if err != nil || bytes.Equal(marked, text) {
		return
	}
	if n := changedLines(text, marked); n != 1 {
		t.Errorf("got %d changed lines, want 1: %q", n, marked)
	}
	c, err := contextfile.Parse(marked)
	if err != nil || !c.OfContents {
		t.Errorf("%q: got no mark, %v", marked, err)
	}
	if again, err := contextfile.MarkContents(marked); err != nil || !bytes.Equal(again, marked) {
		t.Errorf("again: got %q, %v, want %q", again, err, marked)
	}
	if c, err := contextfile.SetFingerprint(marked, newFingerprint, newUpdated); err == nil {
		if after, err := contextfile.Parse(c); err != nil || !after.OfContents {
			t.Errorf("SetFingerprint takes the mark away: %q, %v", c, err)
		}
	}
}
