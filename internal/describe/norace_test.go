//go:build !race

package describe

const raceEnabled = false
