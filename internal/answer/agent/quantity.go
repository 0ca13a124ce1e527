package agent

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/contextcompiler/context/internal/base/lazy"
)

// This file finds sentences with the answer to a question about a number.

// asksForQuantity matches questions whose answer is certainly a number.
var asksForQuantity = lazy.Regexp(`(?i)\b(how (many|long|often|large|big)|at (most|least)|up to|limits?|max|maximum|min|minimum|number of)\b`)

// asksForNumber matches questions whose answer may be a number.
var asksForNumber = lazy.Regexp(`(?i)\b(how (many|much|long|often|soon|quickly|late|large|big|small|old|far|fast|deep|high)|at (most|least)|up to|limit|limits|max|maximum|min|minimum|default|size|timeout|port|version|threshold|percent|percentage|number|count|when|quota|interval|capacity|cost|price)\b`)

// unitsOf lists the possible units in the answer to a question.
var unitsOf = []struct {
	asked func() *regexp.Regexp
	units string
}{
	{
		lazy.Regexp(`(?i)\b(how (long|often|soon|quickly|late|old|fast)|timeout|interval|duration|age|delay|period|retention)\b`),
		"nanosecond microsecond millisecond second minute hour day week month year time ns us µs ms sec s min m h d",
	},
	{
		lazy.Regexp(`(?i)\b(how (large|big|small|much (memory|space|data|disk|storage))|size|memory|capacity)\b`),
		"byte bit character token b kb mb gb tb kib mib gib tib ki mi gi kilobyte megabyte gigabyte terabyte",
	},
	{lazy.Regexp(`(?i)\b(percent|percentage|share)\b`), "% percent"},
}

// counted matches the noun in questions such as "how many parallel requests", after at most a
// single adjective.
var counted = lazy.Regexp(`(?i)\b(?:how many|(?:(?:max|maximum|min|minimum|largest|most|least|default|total) )?number of|at most|at least|up to) (\pL+)(?: (\pL+))?`)

// unitsIn returns the possible units of a question's answer, in the singular.
func unitsIn(question string) map[string]bool {
	units := map[string]bool{}
	for _, kind := range unitsOf {
		if kind.asked().MatchString(question) {
			for _, unit := range strings.Fields(kind.units) {
				units[unit] = true
			}
		}
	}
	for _, nouns := range counted().FindAllStringSubmatch(question, -1) {
		for _, noun := range nouns[1:] {
			if len(noun) > 3 && strings.HasSuffix(noun, "s") {
				units[singular(noun)] = true // try both words, because of "levels of" and "parallel requests"
			}
		}
	}
	return units
}

// singular returns a noun in lower case without its plural ending.
func singular(noun string) string {
	noun = strings.ToLower(noun)
	if stem, isPlural := strings.CutSuffix(noun, "ies"); isPlural && len(stem) > 1 {
		return stem + "y"
	}
	if len(noun) > 3 && !strings.HasSuffix(noun, "ss") {
		noun = strings.TrimSuffix(noun, "s")
	}
	return noun
}

// quantity matches a number outside of names, including a unit joined to it: "47", "1,000", "30s",
// "5-minute", "100%". It leaves out the words "one" and "two", because they seldom count anything.
var quantity = lazy.Regexp(`(?i)(?:^|[\s("'` + "`" + `=~<>≤≥|-])([0-9][0-9.,_]*|zero|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand)(?:-?(\pL+|%))?(?:$|[^\pL0-9])`)

// An amount is a number in a sentence, as written, with the word next to it that is one of the
// wanted units, in the singular.
type amount struct {
	number, unit string
	isBare       bool   // whether no other word is joined to the number
	written      string // from the number to the unit
}

// isEqual reports whether two amounts are equal, however they write the number.
func (a amount) isEqual(other amount) bool { return a.unit == other.unit && a.value() == other.value() }

// numberWords are the words that quantity matches.
var numberWords = map[string]string{
	"zero": "0", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"twelve": "12", "twenty": "20", "hundred": "100", "thousand": "1000",
}

// value returns the number in digits, without separators of thousands and zeros at the end of a
// fraction.
func (a amount) value() string {
	number := strings.TrimRight(strings.NewReplacer(",", "", "_", "").Replace(a.number), ".")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return cmp.Or(numberWords[strings.ToLower(number)], number)
}

// amountsIn returns the numbers of a sentence.
func amountsIn(sentence string, units map[string]bool) (all []amount) {
	for rest := sentence; ; {
		found := quantity().FindStringSubmatchIndex(rest)
		if found == nil {
			return all
		}
		joined := ""
		if found[4] >= 0 {
			joined = rest[found[4]:found[5]]
		}
		a := amount{number: rest[found[2]:found[3]], isBare: joined == "" || isUnit(joined, units) || joined == "%"}
		written := rest[found[2]:]
		rest = rest[max(found[3], found[5]):]
		after := strings.FieldsFunc(rest[:min(len(rest), 40)], func(r rune) bool { return !unicode.IsLetter(r) && r != '%' })
		for _, word := range append([]string{joined}, after[:min(len(after), 2)]...) {
			if a.unit == "" && isUnit(word, units) {
				a.unit = singular(word)
				a.written = written[:strings.Index(written, word)+len(word)]
			}
		}
		all = append(all, a)
	}
}

// hasQuantity reports whether a sentence contains a number, and whether any of its numbers is next
// to a unit from units.
func hasQuantity(sentence string, units map[string]bool) (hasNumber, hasUnit bool) {
	for _, a := range amountsIn(sentence, units) {
		hasNumber = hasNumber || a.isBare
		hasUnit = hasUnit || a.unit != ""
	}
	return hasNumber, hasUnit
}

func isUnit(word string, units map[string]bool) bool {
	return word != "" && (units[strings.ToLower(word)] || units[singular(word)])
}
