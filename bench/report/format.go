package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file turns numbers into text.

// digits writes value with three significant digits and no exponent.
func digits(value float64) string {
	if value == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(value)))))
	return strconv.FormatFloat(value, 'f', min(decimals, 4), 64)
}

// short writes a target as people do: 0.8, 3, 25.
func short(value float64) string {
	return strconv.FormatFloat(math.Round(value*100)/100, 'f', -1, 64)
}

// ratioText writes a quotient: 0.75x.
func ratioText(value float64) string {
	if value >= 10 {
		return strconv.FormatFloat(value, 'f', 0, 64) + "x"
	}
	return strconv.FormatFloat(value, 'f', 2, 64) + "x"
}

// A unit is what numbers are written in.
type unit struct {
	name string
	size float64
}

var (
	times = []unit{{"s", 1}, {"ms", 1e-3}}
	sizes = []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}}
)

// unitFor returns the largest unit that value is one of, or else the smallest.
func unitFor(value float64, units []unit) unit {
	for _, u := range units {
		if value >= u.size {
			return u
		}
	}
	return units[len(units)-1]
}

// quantity writes value: 12.3 ms.
func quantity(value float64, units []unit) string {
	u := unitFor(value, units)
	return digits(value/u.size) + " " + u.name
}

// spread writes the median and the range of values: 12.3 ms (11.9–13.1).
func spread(values []float64, units []unit) string {
	middle, least, most := median(values), math.Inf(1), math.Inf(-1)
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	u := unitFor(middle, units)
	return fmt.Sprintf("%s (%s–%s)", quantity(middle, units), digits(least/u.size), digits(most/u.size))
}

// thousands writes n with commas: 48,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// table writes a Markdown table; the first row is its head.
func table(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&out, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}
