//go:build !race

package child

// RaceDetector says whether this program was built with the race detector.
const RaceDetector = false
