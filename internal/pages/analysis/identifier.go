package analysis

import "bytes"

// A class is the role of a byte in a word.
type class uint8

const (
	outside class = iota // between words
	joiner               // between the parts of an identifier
	lower                // a to z
	upper                // A to Z
	digit                // 0 to 9
	beyond               // of a character beyond ASCII
)

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z':
			c[b] = lower
		case 'A' <= b && b <= 'Z':
			c[b] = upper
		case '0' <= b && b <= '9':
			c[b] = digit
		case b >= 0x80:
			c[b] = beyond
		}
	}
	c['_'], c['-'], c['.'] = joiner, joiner, joiner
	return c
}()

func isLetter(c class) bool { return c == lower || c == upper }

// identifier appends the parts of the identifier at text[i] and, if there are several, the
// whole after them. It returns where the identifier ends. If it contains characters beyond
// ASCII, wide continues.
func (a *Analyzer) identifier(dst *Terms, text []byte, i int) int {
	a.name, a.parts = a.name[:0], a.parts[:0]
	end := a.scan(text, i)
	if end < len(text) && classes[text[end]] == beyond {
		return a.wide(dst, text, i)
	}
	a.emitParts(dst)
	return end
}

func (a *Analyzer) emitParts(dst *Terms) {
	start, isPlain := 0, true
	for _, p := range a.parts {
		word := a.name[start:p.end]
		if p.isPlural {
			a.emitPlural(dst, word)
		} else {
			a.emit(dst, word, p.isPlain, 0)
		}
		start, isPlain = p.end, isPlain && p.isPlain
	}
	if 1 < len(a.parts) && len(a.parts) <= maxParts {
		a.emit(dst, a.name, isPlain, Whole)
	}
}

// emitPlural appends the singular of an abbreviation, because the stemmer keeps the s of
// most plurals. Since people also write gpus, the stem of the plural follows as a whole if
// it differs.
func (a *Analyzer) emitPlural(dst *Terms, word []byte) {
	n := dst.Len()
	a.emit(dst, word[:len(word)-1], true, 0)
	singular, _ := dst.At(n)
	if !bytes.Equal(a.stemOf(word), singular) {
		a.emit(dst, word, true, Whole)
	}
}

// scan reads the current identifier, which starts at text[i], and returns where it ends.
func (a *Analyzer) scan(text []byte, i int) int {
	isPlain := true
	before := outside // class of the previous byte of this part
	for ; i < len(text); i++ {
		b := text[i]
		c := classes[b]
		switch {
		case c == joiner && i+1 < len(text) && classes[text[i+1]] > joiner,
			c == upper && a.startsHump(before, text[i+1:]):
			a.endPart(isPlain)
			isPlain = true
		case c == outside || c == joiner || c == beyond:
			a.endPart(isPlain)
			return i
		}
		switch c {
		case joiner:
			before = outside
			continue
		case digit:
			isPlain = false
		case upper:
			b += 'a' - 'A'
			if a.partSize() == a.capitals {
				a.capitals++
			}
		}
		a.name = append(a.name, b)
		before = c
	}
	a.endPart(isPlain)
	return i
}

func (a *Analyzer) endPart(isPlain bool) {
	if size := a.partSize(); size > 0 {
		isPlural := isPlain && 1 < a.capitals && a.capitals == size-1 && size <= MaxTerm && a.name[len(a.name)-1] == 's'
		a.parts = append(a.parts, identifierPart{len(a.name), isPlain, isPlural})
	}
	a.capitals = 0
}

// partSize returns how many bytes of the name don't belong to a part yet.
func (a *Analyzer) partSize() int {
	if n := len(a.parts); n > 0 {
		return len(a.name) - a.parts[n-1].end
	}
	return len(a.name)
}

// startsHump reports whether a capital letter between a class of byte and rest starts a new
// part, as in maxTokens and HTTPServer, but not in iPhone, APIs or dBm.
func (a *Analyzer) startsHump(before class, rest []byte) bool {
	if a.partSize() < 2 || len(rest) == 0 || !isLetter(classes[rest[0]]) {
		return false
	}
	return before == lower || before == upper && startsWord(rest)
}

// startsWord reports whether the last of several capital letters, which rest follows,
// starts a word instead of ending an abbreviation.
func startsWord(rest []byte) bool {
	if classes[rest[0]] != lower {
		return false
	}
	return rest[0] != 's' || len(rest) > 1 && classes[rest[1]] == lower
}
