package contextfile_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextcompiler/context/internal/base/wire"
	"github.com/contextcompiler/context/internal/contexts/contextfile"
)

var update = flag.Bool("update", false, "rewrite the expected output")

// vectors returns the files of testdata/dir by name.
func vectors(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors in %s: %v", dir, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(path), ".yaml")] = text
	}
	return files
}

func encode(c *contextfile.Context, filter []string) string {
	e := wire.Indented()
	c.Encode(e, filter)
	e.Newline()
	return string(e.Bytes())
}

// has reports whether c gives a field.
func has(c *contextfile.Context, field string) bool {
	return strings.Contains(encode(c, []string{field}), `"`+field+`":`)
}

func TestValidVectorsEncodeAsRecorded(t *testing.T) {
	for name, text := range vectors(t, "valid") {
		t.Run(name, func(t *testing.T) {
			c, err := contextfile.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			compareGolden(t, name+".json", encode(c, nil))
		})
	}
}

// Each vector's problems are recorded: they name lines, fields and fixes.
func TestInvalidVectorsAreRefused(t *testing.T) {
	for name, text := range vectors(t, "invalid") {
		t.Run(name, func(t *testing.T) {
			c, err := contextfile.Parse(text)
			if err == nil {
				t.Fatalf("got %s, want an error", encode(c, nil))
			}
			compareGolden(t, name+".txt", inFull(t, err))
		})
	}
}

// inFull prints an error in full.
func inFull(t *testing.T, err error) string {
	t.Helper()
	if unsupported, ok := errors.AsType[*contextfile.UnsupportedError](err); ok {
		if unsupported.Line == 0 {
			t.Errorf("no line: %v", err)
		}
		return "unsupported " + unsupported.Version + ": " + err.Error() + "\n"
	}
	problem, ok := errors.AsType[*contextfile.InvalidError](err)
	if !ok {
		t.Fatalf("got an error of type %T", err)
	}
	var b strings.Builder
	for _, p := range problem.Problems {
		if p.Line == 0 {
			t.Errorf("no line: %v", p)
		}
		if p.Fix == "" || p.Message == "" {
			t.Errorf("no message or no fix: %#v", p)
		}
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
