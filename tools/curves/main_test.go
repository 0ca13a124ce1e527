package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTheDocumentationShowsTheFigures(t *testing.T) {
	f, err := read("../../bench/growth.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.picture()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/growth.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got docs/growth.svg of %d bytes, want the %d that `task curves` writes", len(got), len(want))
	}
	page, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), f.table()) {
		t.Errorf("docs/performance.md doesn't contain the table that `task curves` prints:\n%s", f.table())
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for x, want := range map[float64]string{0.01234: "0.012", 0.96: "0.96", 1.96: "2", 14.4: "14", 1234567: "1,234,567", 0: "0"} {
		if got := significant(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}

// The median of three rounds, and names with and without a number of processors.
func TestFiguresAreMedians(t *testing.T) {
	path := t.TempDir() + "/growth.txt"
	lines := "BenchmarkGrowth/pages=5/work=build 1 1000000000 ns/op\nBenchmarkGrowth/pages=5/work=build 1 9000000000 ns/op\n" +
		"BenchmarkGrowth/pages=5/work=build 1 2000000000 ns/op\nBenchmarkWarm/cache=5/op=ask-2 7 3 p50-ms\nBenchmarkWarm/cache=70/op=ask 7 4 p50-ms\n"
	if err := os.WriteFile(path, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.median("build", wall, 5); got != 2 {
		t.Errorf("got a median of %v s, want 2", got)
	}
	if got := f.median("warm ask", p50, 5); got != 3 {
		t.Errorf("got %v ms, want 3", got)
	}
	if got := f.pages(); len(got) != 2 || got[1] != 70 {
		t.Errorf("got %v pages, want 5 and 70", got)
	}
}
