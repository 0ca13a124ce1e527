package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTablesAreWhatTheGeneratorWrites(t *testing.T) {
	want, err := tables("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got a tables.go of %d bytes, want the %d that go generate writes", len(got), len(want))
	}
}
