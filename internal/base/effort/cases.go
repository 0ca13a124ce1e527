// Package effort decides how much tests do: how many cases they try, and how long they
// wait. Only tests use it.
package effort

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// rapidChecks is the variable from which rapid takes the number of cases for each
// property. From manyChecks on, all tests try all of their cases, for example every byte
// of a file instead of some:
//
//	RAPID_CHECKS=100 go test -timeout 60m ./...
const (
	rapidChecks = "RAPID_CHECKS"
	manyChecks  = 100 // rapid's default
	fewChecks   = "20"
)

// Cases returns all if tests should try all of their cases, and few otherwise.
func Cases(all, few int) int {
	if n, err := strconv.Atoi(os.Getenv(rapidChecks)); err == nil && n >= manyChecks {
		return all
	}
	return few
}

// Main runs the tests of a package with expensive properties, which usually write
// caches. Unless the caller asks for another number of checks, there are as few as with
// -short, and temporary files stay in memory. Call it from TestMain.
func Main(m *testing.M) {
	UseMemory()
	flag.Parse()
	_, asked := os.LookupEnv(rapidChecks)
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked && !testing.Short() { // rapid divides by 5 for -short
		flag.Set("rapid.checks", fewChecks)
	}
	m.Run()
}
