package lazy

import "testing"

func TestRegexpCompilesOnce(t *testing.T) {
	pattern := Regexp(`^a+$`)
	if first, second := pattern(), pattern(); first != second || !first.MatchString("aa") {
		t.Errorf("got %p and then %p, want the same regular expression", first, second)
	}
}
