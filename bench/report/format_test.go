package main

import "testing"

func TestFormats(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{digits(0), "0"},
		{digits(0.01234), "0.0123"},
		{digits(9.876), "9.88"},
		{digits(123.4), "123"},
		{digits(12345), "12345"},
		{short(1. / 3), "0.33"},
		{short(25), "25"},
		{ratioText(0.754), "0.75x"},
		{ratioText(31.4), "31x"},
		{quantity(0.0123, times), "12.3 ms"},
		{quantity(1.5, times), "1.50 s"},
		{quantity(0.000_05, times), "0.0500 ms"},
		{quantity(64<<20, sizes), "64.0 MiB"},
		{spread([]float64{0.02, 0.03, 0.01}, times), "20.0 ms (10.0–30.0)"},
		{spread([]float64{0.9, 1.1, 1}, times), "1.00 s (0.900–1.10)"},
		{thousands(999), "999"},
		{thousands(48_000), "48,000"},
		{thousands(1_234_567), "1,234,567"},
		{table([][]string{{"a", "b"}, {"1", "2"}}), "| a | b |\n| --- | --- |\n| 1 | 2 |"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
