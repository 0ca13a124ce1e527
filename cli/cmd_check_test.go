package cli

import "testing"

func TestMarkdownKeepsTheCommandsOfAHint(t *testing.T) {
	for hint, want := range map[string]string{
		"build it with `context build a_b`, or not":       "build it with `context build a_b`, or not",
		"change fail_under":                               "change fail\\_under",
		"`context build --file a`<b>`c docs`":             "`context build --file a`\\<b\\>`c docs`",
		"build it with `context build --file a`<b> docs`": "build it with \\`context build --file a\\`\\<b\\> docs\\`",
	} {
		if got := markdownHint(hint); got != want {
			t.Errorf("%s: got %s, want %s", hint, got, want)
		}
	}
}
