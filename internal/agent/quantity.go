package agent

import (
	"regexp"
	"strings"
	"unicode"
)

// This file finds the sentences that answer a question for a number.

// asksForQuantity matches questions whose answer is a number for sure.
var asksForQuantity = regexp.MustCompile(`(?i)\b(how (many|long|often|large|big)|at (most|least)|up to|limits?|max|maximum|min|minimum|number of)\b`)

// asksForNumber matches questions whose answer may be a number.
var asksForNumber = regexp.MustCompile(`(?i)\b(how (many|much|long|often|soon|quickly|late|large|big|small|old|far|fast|deep|high)|at (most|least)|up to|limit|limits|max|maximum|min|minimum|default|size|timeout|port|version|threshold|percent|percentage|number|count|when|quota|interval|capacity|cost|price)\b`)

// unitsOf are the units that the answer to a question may contain.
var unitsOf = []struct {
	asked *regexp.Regexp
	units string
}{
	{
		regexp.MustCompile(`(?i)\b(how (long|often|soon|quickly|late|old|fast)|timeout|interval|duration|age|delay|period|retention)\b`),
		"nanosecond microsecond millisecond second minute hour day week month year time ns us µs ms sec s min m h d",
	},
	{
		regexp.MustCompile(`(?i)\b(how (large|big|small|much (memory|space|data|disk|storage))|size|memory|capacity)\b`),
		"byte bit character token b kb mb gb tb kib mib gib tib ki mi gi kilobyte megabyte gigabyte terabyte",
	},
	{regexp.MustCompile(`(?i)\b(percent|percentage|share)\b`), "% percent"},
}

// counted matches the noun that a question counts, after at most one adjective.
var counted = regexp.MustCompile(`(?i)\b(?:how many|(?:(?:max|maximum|min|minimum|largest|most|least|default|total) )?number of|at most|at least|up to) (\pL+)(?: (\pL+))?`)

// unitsIn returns the units in which a question wants its number, in the singular.
func unitsIn(question string) map[string]bool {
	units := map[string]bool{}
	for _, kind := range unitsOf {
		if kind.asked.MatchString(question) {
			for _, unit := range strings.Fields(kind.units) {
				units[unit] = true
			}
		}
	}
	for _, nouns := range counted.FindAllStringSubmatch(question, -1) {
		for _, noun := range nouns[1:] {
			if len(noun) > 3 && strings.HasSuffix(noun, "s") {
				units[singular(noun)] = true // two words are "levels of" or "parallel requests"
			}
		}
	}
	return units
}

// singular returns a noun in lower case without the ending of its plural.
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

// quantity matches a number that is no part of a name, and what is joined to it: "47",
// "1,000", "30s", "5-minute", "100%". The words "one" and "two" rarely count.
var quantity = regexp.MustCompile(`(?i)(?:^|[\s("'` + "`" + `=~<>≤≥|-])([0-9][0-9.,_]*|zero|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand)(?:-?(\pL+|%))?(?:$|[^\pL0-9])`)

// hasQuantity reports whether a sentence contains a number, and whether one of units stands
// next to a number in it.
func hasQuantity(sentence string, units map[string]bool) (hasNumber, hasUnit bool) {
	for rest := sentence; ; {
		found := quantity.FindStringSubmatchIndex(rest)
		if found == nil {
			return hasNumber, hasUnit
		}
		joined := ""
		if found[4] >= 0 {
			joined = rest[found[4]:found[5]]
		}
		rest = rest[max(found[3], found[5]):]
		hasNumber = hasNumber || joined == "" || isUnit(joined, units) || joined == "%"
		after := strings.FieldsFunc(rest[:min(len(rest), 40)], func(r rune) bool { return !unicode.IsLetter(r) && r != '%' })
		for _, word := range append(after[:min(len(after), 2)], joined) {
			hasUnit = hasUnit || isUnit(word, units)
		}
	}
}

func isUnit(word string, units map[string]bool) bool {
	return word != "" && (units[strings.ToLower(word)] || units[singular(word)])
}
