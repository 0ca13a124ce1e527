package changes

import (
	"bytes"
	"math"
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
	// mostSteps bounds the time. It should be enough for some 2,000 edits.
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
// takes too many steps, isExact is false.
func common(old, new []int32) (inOld, inNew []bool, isExact bool) {
	c := editSearch{steps: mostSteps, inOld: make([]bool, len(old)), inNew: make([]bool, len(new))}
	c.old, c.oldAt = elementsIn(old, new)
	c.new, c.newAt = elementsIn(new, old)
	c.forward = make([]int, len(c.old)+len(c.new)+3)
	c.backward = make([]int, len(c.old)+len(c.new)+3)
	c.compare(0, len(c.old), 0, len(c.new))
	return c.inOld, c.inNew, c.steps > 0
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

// An editSearch is Myers' algorithm in linear space: it finds the middle of a shortest path through
// both sequences, and then compares the halves.
type editSearch struct {
	old, new     []int32
	oldAt, newAt []int // positions in inOld and inNew
	inOld, inNew []bool

	// forward and backward contain the furthest position in old that paths from the beginning
	// and from the end reach, by diagonal: the position in old minus the position in new.
	forward, backward []int
	steps             int // left
}

func (c *editSearch) keep(i, j int) { c.inOld[c.oldAt[i]], c.inNew[c.newAt[j]] = true, true }

func (c *editSearch) compare(oldStart, oldEnd, newStart, newEnd int) {
	for oldStart < oldEnd && newStart < newEnd && c.old[oldStart] == c.new[newStart] {
		c.keep(oldStart, newStart)
		oldStart, newStart = oldStart+1, newStart+1
	}
	for oldStart < oldEnd && newStart < newEnd && c.old[oldEnd-1] == c.new[newEnd-1] {
		oldEnd, newEnd = oldEnd-1, newEnd-1
		c.keep(oldEnd, newEnd)
	}
	if oldStart == oldEnd || newStart == newEnd || c.steps <= 0 {
		return
	}
	i, j := c.middle(oldStart, oldEnd, newStart, newEnd)
	if c.steps > 0 {
		c.compare(oldStart, i, newStart, j)
		c.compare(i, oldEnd, j, newEnd)
	}
}

// middle returns a point on a shortest path. It walks from both ends until the paths meet.
func (c *editSearch) middle(oldStart, oldEnd, newStart, newEnd int) (i, j int) {
	least, most := oldStart-newEnd, oldEnd-newStart
	zero := len(c.new) + 1 // so diagonals can be negative
	fromStart, fromEnd := oldStart-newStart, oldEnd-newEnd
	front, back := diagonals{fromStart, fromStart}, diagonals{fromEnd, fromEnd}
	isOdd := (fromStart-fromEnd)%2 != 0
	c.forward[zero+fromStart], c.backward[zero+fromEnd] = oldStart, oldEnd
	for c.steps > 0 {
		front.widen(c.forward, least, most, zero, -1)
		for d := front.last; d >= front.first; d -= 2 {
			i := max(c.forward[zero+d-1]+1, c.forward[zero+d+1])
			for ; i < oldEnd && i-d < newEnd && c.old[i] == c.new[i-d]; i++ {
				c.steps--
			}
			c.steps--
			c.forward[zero+d] = i
			if isOdd && back.contain(d) && c.backward[zero+d] <= i {
				return i, i - d
			}
		}
		back.widen(c.backward, least, most, zero, math.MaxInt)
		for d := back.last; d >= back.first; d -= 2 {
			i := min(c.backward[zero+d-1], c.backward[zero+d+1]-1)
			for ; i > oldStart && i-d > newStart && c.old[i-1] == c.new[i-d-1]; i-- {
				c.steps--
			}
			c.steps--
			c.backward[zero+d] = i
			if !isOdd && front.contain(d) && i <= c.forward[zero+d] {
				return i, i - d
			}
		}
	}
	return oldStart, newStart
}

// diagonals are the diagonals that paths with a number of edits can reach: every second from first
// to last.
type diagonals struct{ first, last int }

func (r diagonals) contain(d int) bool { return r.first <= d && d <= r.last }

// widen adds an edit to the paths. reached is the furthest position by diagonal, and unreached the
// value for a diagonal that no path has reached.
func (r *diagonals) widen(reached []int, least, most, zero, unreached int) {
	if r.first > least {
		r.first--
		reached[zero+r.first-1] = unreached
	} else {
		r.first++
	}
	if r.last < most {
		r.last++
		reached[zero+r.last+1] = unreached
	} else {
		r.last--
	}
}
