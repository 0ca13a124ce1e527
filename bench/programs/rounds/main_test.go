package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestEverySecondRoundRunsBackwards(t *testing.T) {
	var steps []step
	for _, name := range []string{"A", "B"} {
		steps = append(steps, step{names: []string{name + "/work=a", name + "/work=b"}, args: always("true")})
	}
	var out strings.Builder
	if err := runRounds(&out, 2, steps); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^Benchmark(.)/work=([ab]) 1 \d+ ns/op \d+ cpu-ns/op \d+ peak-B\n`)
	if got := line.ReplaceAllString(out.String(), "$1$2 "); got != "Aa Ab Ba Bb Ba Bb Aa Ab " {
		t.Errorf("got %s", got)
	}
}

func TestAProgramThatFailsEndsTheRounds(t *testing.T) {
	var out strings.Builder
	steps := []step{{names: []string{"A"}, args: always("false")}, {names: []string{"B"}, args: always("true")}}
	if err := runRounds(&out, 1, steps); err == nil || out.Len() > 0 {
		t.Errorf("got %v and %s", err, out.String())
	}
}
