package effort

import "testing"

func TestAllCasesAreTriedIfManyChecksAreAskedFor(t *testing.T) {
	for checks, want := range map[string]int{"": 3, "20": 3, "100": 60, "1000": 60, "many": 3} {
		t.Setenv(rapidChecks, checks)
		if got := Cases(60, 3); got != want {
			t.Errorf("%s=%s: got %d cases, want %d", rapidChecks, checks, got, want)
		}
	}
}
