package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestThePictureShowsWhatTheCommandsPrint(t *testing.T) {
	want, err := picture("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/terminal.svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got docs/terminal.svg of %d bytes, want the %d that `task picture` writes", len(got), len(want))
	}
	if len(got) > 100<<10 {
		t.Errorf("it has %d bytes, want at most 100 KiB", len(got))
	}
}

// A reader sees each line as the terminal has it, and no markup.
func TestAPictureHasTheLinesOfTheTerminal(t *testing.T) {
	long := strings.Repeat("é", columns)
	steps := []step{{"context ask <page> && true", "  # A & <b>B</b>\n\n" + long + "end\n"}, {"true", ""}}
	want := []string{"$ context ask <page> && true", "  # A & <b>B</b>", long, "end", "$ true"}
	if got := textsOf(t, draw(lines(steps))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestACommandThatFailsGivesNoPicture(t *testing.T) {
	_, err := play("../..", []string{"true", "echo reason >&2; exit 3", "true"})
	if err == nil || !strings.Contains(err.Error(), "exit status 3\nreason") {
		t.Errorf("got %v", err)
	}
}

// textsOf returns the texts of an SVG image.
func textsOf(t *testing.T, svg []byte) []string {
	t.Helper()
	var image struct {
		Texts []string `xml:"text"`
	}
	if err := xml.Unmarshal(svg, &image); err != nil {
		t.Fatal(err)
	}
	return image.Texts
}
