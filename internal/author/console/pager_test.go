package console

import "testing"

func TestRowsOfATextAreThoseOfTheScreenOrMore(t *testing.T) {
	for _, tc := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"\n", 1},
		{"a\n\nb", 3},
		{"1234567890", 1},
		{"12345678901", 2},
		{"\x1b[1;31m1234567890\x1b[0m\r\n", 1},
		{"1\t9\n", 1},
		{"1\t90a\n", 2},
		{"日本語日本\n", 1},
		{"日本語日本語\n", 2},
	} {
		if got := rowsOf([]byte(tc.text), 10); got != tc.want {
			t.Errorf("%q: got %d rows, want %d", tc.text, got, tc.want)
		}
	}
}
