package words

// Nearest returns those of the names that are at most a few edits from another, the
// nearest first: one edit, and one more for every four bytes, but fewer than a name has
// bytes.
func Nearest(wanted string, names []string) (near []string) {
	few := 1 + len(wanted)/4
	for most := range few + 1 {
		for _, name := range names {
			if most < len(name) && Distance(wanted, name, few) == most {
				near = append(near, name)
			}
		}
	}
	return near
}

// Distance returns how many bytes have to be put in, taken out or replaced to make b
// of a (Levenshtein), or most+1 if that is more than most.
func Distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, 0, 64) // of the distances from a[:i] to b[:k]
	for k := range len(b) + 1 {
		row = append(row, k)
	}
	for i := range len(a) {
		first, end := max(0, i-most), min(len(b), i+most+1) // all others are above most
		diagonal, least := row[first], most+1
		row[first] = most + 1
		if first == 0 {
			row[0] = i + 1
			least = i + 1
		}
		for k := first; k < end; k++ {
			distance := diagonal
			if a[i] != b[k] {
				distance = 1 + min(diagonal, row[k], row[k+1])
			}
			diagonal, row[k+1] = row[k+1], distance
			least = min(least, distance)
		}
		if least > most {
			return most + 1
		}
	}
	return min(row[len(b)], most+1)
}
