package main

import (
	"slices"
	"testing"
)

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	opts, err := parseOptions([]string{"-sizes", "10,20", "-n", "2", "-corpus", "a=" + dir, "-corpus", dir, "-procs", "", "-out", dir + "/p.md"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(opts.sizes, []int{10, 20}) || len(opts.corpora) != 2 || opts.corpora[0] != (origin{"a", dir}) || opts.procs != nil {
		t.Errorf("got %+v", opts)
	}
	for _, bad := range [][]string{{"-n", "0"}, {"-sizes", "x"}, {"-corpus", dir + "/none"}, {"-out", dir + "/none/p.md"}, {"more"}} {
		if _, err := parseOptions(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
