package changes

import (
	"bytes"
)

// Lines are a range of lines in a text, counted from 0.
type Lines struct{ Start, End int }

// Size returns the number of lines.
func (l Lines) Size() int { return l.End - l.Start }

// A LineEdit replaces lines of the old text with lines of the new text. One of both can be empty.
type LineEdit struct{ Old, New Lines }

const (
	// mostLines bounds the memory: texts with more lines can't be compared.
	mostLines = 1 << 16
	// mostSteps bounds the time and the memory. It should be enough for some 2,000 edits.
	mostSteps = 1 << 22
)

// CompareLines returns the fewest edits that turn old into new, in order. If the texts are too
// large or too different, isExact is false, and a single edit covers all lines between the common
// beginning and the common end.
func CompareLines(old, new []byte) (edits []LineEdit, isExact bool) {
	if bytes.Equal(old, new) {
		return nil, true
	}
	prefix := commonPrefix(old, new)
	first := countLines(old[:prefix])
	old, new = old[prefix:], new[prefix:]
	suffix := commonSuffix(old, new)
	old, new = old[:len(old)-suffix], new[:len(new)-suffix]
	m, n := countLines(old), countLines(new)
	if m > 0 && n > 0 && m <= mostLines && n <= mostLines {
		ids := numbers{}
		isOldKept, isNewKept, isExact := common(ids.of(textLines(old)), ids.of(textLines(new)))
		if isExact {
			return editsOf(first, isOldKept, isNewKept), true
		}
	}
	return []LineEdit{{Lines{first, first + m}, Lines{first, first + n}}}, m == 0 || n == 0
}

// commonPrefix returns the size of the lines at the beginning of both texts.
func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return bytes.LastIndexByte(a[:n], '\n') + 1
}

// commonSuffix returns the size of the lines at the end of both texts.
func commonSuffix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	startsLine := func(text []byte) bool { return n == len(text) || text[len(text)-1-n] == '\n' }
	if !startsLine(a) || !startsLine(b) {
		_, lines, _ := bytes.Cut(a[len(a)-n:], []byte("\n"))
		return len(lines)
	}
	return n
}

// countLines counts the lines of a text, including a last line without a line end.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// textLines returns the lines of a text with their line ends.
func textLines(text []byte) (lines []string) {
	for line := range bytes.Lines(text) {
		lines = append(lines, string(line))
	}
	return lines
}

// numbers number distinct values, so that comparing two of them is cheap.
type numbers map[string]int32

func (n numbers) of(values []string) []int32 {
	all := make([]int32, len(values))
	for i, v := range values {
		number, isKnown := n[v]
		if !isKnown {
			number = int32(len(n))
			n[v] = number
		}
		all[i] = number
	}
	return all
}

// editsOf returns the edits between the kept lines. first is the number of the first line.
func editsOf(first int, isOldKept, isNewKept []bool) (edits []LineEdit) {
	for i, j := 0, 0; i < len(isOldKept) || j < len(isNewKept); {
		start := LineEdit{Lines{i, i}, Lines{j, j}}
		for i < len(isOldKept) && !isOldKept[i] {
			i++
		}
		for j < len(isNewKept) && !isNewKept[j] {
			j++
		}
		if start.Old.Start < i || start.New.Start < j {
			edits = append(edits, LineEdit{
				Lines{first + start.Old.Start, first + i},
				Lines{first + start.New.Start, first + j},
			})
		}
		i, j = i+1, j+1 // a kept line, or the end of both
	}
	return edits
}

// common reports which elements of two sequences belong to a longest common subsequence. If this
// takes too many steps, isExact is false. It is Myers' greedy algorithm: the furthest points that
// paths reach with another edit follow from those that they reach without it.
func common(old, new []int32) (inOld, inNew []bool, isExact bool) {
	inOld, inNew = make([]bool, len(old)), make([]bool, len(new))
	a, oldAt := elementsIn(old, new)
	b, newAt := elementsIn(new, old)
	last := len(a) - len(b) // the diagonal on which both sequences end
	var reached []furthest  // by the number of edits
	for steps := mostSteps; ; {
		edits := len(reached)
		row := make(furthest, edits+1)
		for i := range row {
			x, d := 0, 2*i-edits
			if edits > 0 {
				x, _ = reached[edits-1].next(i)
			}
			for ; x < len(a) && x-d < len(b) && a[x] == b[x-d]; x++ {
				steps--
			}
			steps--
			row[i] = int32(x)
		}
		reached = append(reached, row)
		if at := edits + last; at >= 0 && at%2 == 0 && at/2 <= edits && int(row[at/2]) >= len(a) {
			break
		}
		if steps <= 0 {
			return inOld, inNew, false
		}
	}
	x, d := len(a), last
	for edits := len(reached) - 1; edits >= 0; edits-- {
		start, isRemoval := 0, false
		if edits > 0 {
			start, isRemoval = reached[edits-1].next((d + edits) / 2)
		}
		for ; x > start; x-- {
			inOld[oldAt[x-1]], inNew[newAt[x-1-d]] = true, true
		}
		if isRemoval {
			x, d = x-1, d-1
		} else {
			d++
		}
	}
	return inOld, inNew, true
}

// A furthest contains the furthest position in old that paths with a number of edits reach, for
// every second diagonal from minus to plus that number. A diagonal is the position in old minus the
// one in new.
type furthest []int32

// next returns the position that paths with another edit reach first on their i-th diagonal, and
// whether that edit removes an element of old.
func (f furthest) next(i int) (x int, isRemoval bool) {
	if i == len(f) || i > 0 && f[i-1]+1 > f[i] {
		return int(f[i-1]) + 1, true
	}
	return int(f[i]), false
}

// elementsIn returns the elements of a that also occur in b, and their positions. All others can't
// be common. Without them, comparing two unrelated texts takes no time.
func elementsIn(a, b []int32) (elements []int32, at []int) {
	isIn := map[int32]bool{}
	for _, v := range b {
		isIn[v] = true
	}
	for i, v := range a {
		if isIn[v] {
			elements, at = append(elements, v), append(at, i)
		}
	}
	return elements, at
}
