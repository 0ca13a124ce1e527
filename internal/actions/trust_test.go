//go:build !windows

package actions

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/fault"
)

// trust records the user's trust in an action and its current scripts.
func trust(t *testing.T, w Workshop, a *BuildAction) {
	t.Helper()
	trusted, err := TrustOf(t.Context(), []*BuildAction{a}, w.SearchPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(w.Trusted.Dir, 0o777), os.WriteFile(w.Trusted.Path(a.File), trusted.Encode(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyTrustedCommandsRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	a, w := newAction(t, "copy", Placeholder, log), newWorkshop(t)
	w.Permission = IfTrusted
	a.Scripts = []string{"conf.py"}
	write(t, a, "conf.py", "1")
	refused := func(why string) {
		t.Helper()
		if _, err := w.Output(t.Context(), a); !errors.Is(err, ErrUntrusted) || fault.CodeOf(err) != fault.IO || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %s", err, why)
		}
		if err := w.RunTwice(t.Context(), a, func(_, _ string) error { return nil }); !errors.Is(err, ErrUntrusted) {
			t.Errorf("run twice: got %v", err)
		}
	}
	refused("nobody has trusted")
	trust(t, w, a)
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	write(t, a, "in.rst", "new text") // an input is not a script
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	write(t, a, "conf.py", "2")
	refused("conf.py is new or has changed")
	write(t, a, "docs/conf.py", "1")
	write(t, a, "conf.py", "1")
	refused("docs/conf.py is new or has changed")
	if err := os.RemoveAll(filepath.Join(a.Project, "docs")); err != nil {
		t.Fatal(err)
	}
	write(t, a, "in.rst", "newer text")
	a.FileSum[0]++
	refused("Contextfile.yml has changed")
	write(t, a, "in.rst", "new text") // its output is in the store
	if _, err := w.Output(t.Context(), a); err != nil {
		t.Errorf("got %v for an output that exists", err)
	}
	if existed, err := w.Trusted.Remove(a.File); !existed || err != nil {
		t.Errorf("got %v, %v", existed, err)
	}
	write(t, a, "in.rst", "newest text")
	refused("nobody has trusted")
}

func TestAllListsWhatIsTrusted(t *testing.T) {
	w := newWorkshop(t)
	var want []string
	for range 3 {
		a := newAction(t)
		trust(t, w, a)
		want = append(want, a.File)
	}
	if err := os.WriteFile(filepath.Join(w.Trusted.Dir, "copied"), Trust{File: "/x"}.Encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := w.Trusted.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.Trusted.Path("/y"), Trust{File: "/x"}.Encode(), 0o666); err != nil {
		t.Fatal(err)
	}
	if found, err := w.Trusted.Find("/y"); found != nil || err != nil {
		t.Errorf("the record about another file counts: got %v and %v", found, err)
	}
	var got []string
	for _, one := range all {
		got = append(got, one.File)
	}
	if sorted(strings.Join(got, "\n")) != sorted(strings.Join(want, "\n")) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What decodes must encode to the bytes that it came from.
func FuzzDecodeTrust(f *testing.F) {
	f.Add(Trust{File: "/project/Contextfile.yml"}.Encode())
	f.Add(Trust{File: "/p/Contextfile.yml", Sum: FileHash{1}, Scripts: []Script{{"a b", FileHash{2}}, {"c", FileHash{3}}}}.Encode())
	f.Add([]byte(trustHead))
	f.Fuzz(func(t *testing.T, text []byte) {
		trusted, err := DecodeTrust(text)
		if err == nil && !bytes.Equal(trusted.Encode(), text) {
			t.Errorf("%q encodes to %q", text, trusted.Encode())
		}
	})
}
