package words

import (
	"cmp"
	"slices"
)

// Nearest returns the names within a few edits of a wanted name: a single edit, plus another for
// every four bytes, but fewer than the name's bytes. The nearest names come first. With the same
// number of edits, names that begin like the wanted one come first, because people seldom mistype
// the beginning.
func Nearest(wanted string, names []string) (near []string) {
	few := 1 + len(wanted)/4
	edits := map[string]int{}
	for _, name := range names {
		if n := Distance(wanted, name, few); n <= few && n < len(name) {
			edits[name] = n
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(edits[a], edits[b]), cmp.Compare(sharedPrefix(wanted, b), sharedPrefix(wanted, a)))
	})
	return near
}

func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Distance returns how many edits turn a into b, or most+1 if more than most are necessary.
// An edit inserts, removes or replaces a byte, or swaps two neighbours. No byte is edited
// twice (optimal string alignment).
func Distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	const usual = 64 // longer names allocate
	// The distances from a[:i-1], a[:i] and a[:i+1] to b[:k].
	above2, above, row := make([]int, 0, usual), make([]int, 0, usual), make([]int, 0, usual)
	for k := range len(b) + 1 {
		above2, above, row = append(above2, k), append(above, k), append(row, k)
	}
	for i := range len(a) {
		above2, above, row = above, row, above2
		first, end := max(0, i-most), min(len(b), i+most+1) // all others are above most
		least := most + 1
		row[first] = most + 1
		if first == 0 {
			row[0] = i + 1
			least = i + 1
		}
		for k := first; k < end; k++ {
			distance := above[k]
			if a[i] != b[k] {
				distance = 1 + min(distance, row[k], above[k+1])
				if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
					distance = min(distance, 1+above2[k-1])
				}
			}
			row[k+1] = distance
			least = min(least, distance)
		}
		if least > most {
			return most + 1
		}
	}
	return min(row[len(b)], most+1)
}
