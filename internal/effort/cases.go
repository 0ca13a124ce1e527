// Package effort says how much tests do: how many cases they try, and how long they wait.
// It is for tests alone.
package effort

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// rapidChecks is the variable by which rapid knows how many cases a property has to
// meet. From manyChecks on, all tests try all their cases, for example every byte of a
// file instead of some:
//
//	RAPID_CHECKS=100 go test -timeout 60m ./...
const (
	rapidChecks = "RAPID_CHECKS"
	manyChecks  = 100 // rapid's own number
	fewChecks   = "20"
)

// Cases returns all if tests should try all their cases, otherwise few.
func Cases(all, few int) int {
	if n, err := strconv.Atoi(os.Getenv(rapidChecks)); err == nil && n >= manyChecks {
		return all
	}
	return few
}

// Main runs the tests of a package whose properties are expensive, mostly because they
// write caches. Unless somebody asks for another number of checks, there are as few as
// with -short. It is for TestMain.
func Main(m *testing.M) {
	flag.Parse()
	_, asked := os.LookupEnv(rapidChecks)
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked && !testing.Short() { // rapid divides by 5 for -short
		flag.Set("rapid.checks", fewChecks)
	}
	m.Run()
}
